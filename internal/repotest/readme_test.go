package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	shellTour = regexp.MustCompile("(?s)<!-- tour: sh -->\n```sh\n(.*?)```\n<!-- prints -->\n```\n(.*?)```")
	goExample = regexp.MustCompile("(?s)<!-- file: (.*?) -->\n```go\n(.*?)```")
	anySample = regexp.MustCompile("(?m)^```(sh|go)$")
)

// Every shell sample of the tour is run, in order, in one directory, and prints
// what the README says that it prints.
func TestTourOfTheReadmeIsTrue(t *testing.T) {
	readme := read(t, "README.md")
	bin, work, state := t.TempDir(), t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "seamfs"), "./cmd/seamfs")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	steps := shellTour.FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, steps)
	for _, step := range steps {
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", step[1])
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PWD="+work, "XDG_STATE_HOME="+state)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", step[1], out)
		assert.Equal(t, step[2], strings.ReplaceAll(string(out), work, "$PWD"), "%s", step[1])
	}
}

// Every Go sample is part of a file that is compiled and run.
func TestGoSamplesOfTheReadmeAreCompiled(t *testing.T) {
	readme := read(t, "README.md")
	samples := goExample.FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, samples)
	for _, sample := range samples {
		body := strings.ReplaceAll(read(t, sample[1]), "\n\t", "\n")
		assert.Contains(t, body, sample[2], "%s", sample[1])
	}
}

// A sample that no test knows would rot: the two commands are what .ci/run runs,
// and the one about clients needs a client.
func TestEverySampleOfTheReadmeIsRun(t *testing.T) {
	readme := read(t, "README.md")
	known := len(shellTour.FindAllString(readme, -1)) + len(goExample.FindAllString(readme, -1))
	ci := read(t, ".ci/run")
	for _, command := range []string{
		"go run ./cmd/seamfs call - --mem --from examples/tour.txtar < examples/tour.jsonl",
		"go test ./...",
	} {
		assert.Contains(t, readme, "```sh\n"+command+"\n```")
		assert.Contains(t, ci, "\n"+command+"\n", ".ci/run runs what the README says")
		known++
	}
	const clients = 1
	assert.Len(t, anySample.FindAllString(readme, -1), known+clients)
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", name))
	require.NoError(t, err)
	return string(b)
}
