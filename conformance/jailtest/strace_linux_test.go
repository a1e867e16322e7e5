package jailtest_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tracedEnv = "JAILTEST_TRACED"

// Names that no operation asks for; between them the calls are those of operations.
const begins, ends = "/jailtest-begins", "/jailtest-ends"

// C124: of a thousand random operations, no system call names anything absolute, none
// follows a link at the end of a name unless the kernel holds it beneath the root,
// and every open is closed in children and waits for nobody.
func TestSystemCalls(t *testing.T) {
	if engine := os.Getenv(tracedEnv); engine != "" {
		traced(t, engine)
		return
	}
	tracer, err := exec.LookPath("strace")
	if err != nil {
		t.Log("without strace this says nothing; the stepper of jailtest/race looks at the same calls")
		return
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			exe, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(tracer, "-f", "-s", "4096", "-e", "trace=%file,openat2,renameat2", "-o", log,
				exe, "-test.run=^TestSystemCalls$", "-test.count=1")
			cmd.Env = append(os.Environ(), tracedEnv+"="+engine)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			body, err := os.ReadFile(log)
			require.NoError(t, err)
			_, rest, found := strings.Cut(string(body), begins)
			require.True(t, found)
			rest, _, found = strings.Cut(rest, ends)
			require.True(t, found)
			calls := whole(strings.Split(rest, "\n"))
			assert.Greater(t, len(calls), 2000)
			faults := map[string]string{}
			for _, call := range calls {
				if why := fault(call); why != "" {
					faults[why] = call
				}
			}
			assert.Empty(t, faults)
			t.Logf("%s: %d calls", engine, len(calls))
		})
	}
	// The check has teeth.
	for call, why := range map[string]string{
		`1 openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC|O_NONBLOCK|O_NOFOLLOW) = 3`: "absolute",
		`1 openat(5, "a", O_RDONLY|O_CLOEXEC|O_NONBLOCK) = 3`:                             "follows",
		`1 openat(5, "a", O_RDONLY|O_NOFOLLOW|O_CLOEXEC) = 3`:                             "waits",
		`1 openat(5, "a", O_RDONLY|O_NOFOLLOW|O_NONBLOCK) = 3`:                            "inherited",
		`1 openat2(5, "a", {flags=O_RDONLY|O_CLOEXEC|O_NONBLOCK, resolve=0}, 24) = 3`:     "follows",
		`1 newfstatat(5, "a", {}, 0) = 0`:                                                 "follows",
	} {
		assert.Contains(t, fault(call), why, call)
	}
	assert.Empty(t, fault(`1 openat2(5, "a/b", {flags=O_RDONLY|O_NONBLOCK|O_CLOEXEC, resolve=RESOLVE_NO_XDEV|RESOLVE_NO_MAGICLINKS|RESOLVE_BENEATH}, 24) = 3`))
}

// whole puts together the calls that strace shows in two halves, and drops what is
// left of the first line and the last.
func whole(lines []string) (calls []string) {
	begun := map[string]string{}
	for _, line := range lines[1 : len(lines)-1] {
		pid, _, _ := strings.Cut(line, " ")
		if head, unfinished := strings.CutSuffix(line, " <unfinished ...>"); unfinished {
			begun[pid] = head
			continue
		}
		if _, tail, resumed := strings.Cut(line, " resumed>"); resumed {
			line = begun[pid] + tail
		}
		calls = append(calls, line)
	}
	return calls
}

var absolute = regexp.MustCompile(`"/`)

// fault says what is wrong with a call, as strace shows it.
func fault(call string) string {
	name, args, found := strings.Cut(call, "(")
	if !found || strings.Contains(call, "+++") || strings.Contains(call, "---") {
		return ""
	}
	name = name[strings.LastIndexByte(name, ' ')+1:]
	has := func(flags ...string) bool {
		for _, f := range flags {
			if strings.Contains(args, f) {
				return true
			}
		}
		return false
	}
	if absolute.MatchString(args) && name != "symlinkat" && name != "readlinkat" {
		return "absolute: " + name
	}
	if strings.Contains(args, `, ".", `) {
		return "" // the directory that is open already
	}
	switch name {
	case "openat", "openat2":
		switch {
		case !has("O_NOFOLLOW", "RESOLVE_BENEATH", "O_TMPFILE") && !has("O_EXCL"):
			return "follows a link: " + name
		case !has("O_CLOEXEC"):
			return "inherited by children: " + name
		case !has("O_NONBLOCK", "O_PATH", "O_DIRECTORY", "O_EXCL", "O_TMPFILE"):
			return "waits: " + name
		}
	case "newfstatat", "statx", "fchmodat2", "utimensat", "fchownat":
		if !has("AT_SYMLINK_NOFOLLOW", "AT_EMPTY_PATH") {
			return "follows a link: " + name
		}
	case "open", "stat", "lstat", "rename", "link", "symlink", "unlink", "mkdir", "chmod", "readlink", "truncate", "chdir", "fchmodat", "faccessat", "execve":
		return "by a name of the process: " + name
	}
	return ""
}

// traced makes a thousand operations, the same in each run.
func traced(t *testing.T, engine string) {
	ctx := context.Background()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(root+"/a/b/c", 0o755))
	require.NoError(t, os.Symlink("../..", root+"/a/up"))
	require.NoError(t, os.Symlink("b", root+"/a/in"))
	require.NoError(t, os.Symlink("a/b/f", root+"/l"))
	require.NoError(t, os.WriteFile(root+"/mover", []byte("mover"), 0o644))
	fsys, err := jail.Open(root, &jail.Options{Engine: engine, NoSync: true})
	require.NoError(t, err)
	names := []string{"top", "a/b/f", "a/in/f", "a/up", "a/up/x", "l", "a", "a/b", "a/b/c/new", "../out", ".", "top/", "missing/x"}
	random := rand.New(rand.NewPCG(5, 124))
	_, err = os.Lstat(begins)
	require.Error(t, err)
	for range 1000 {
		_, _ = jailtest.Operate(ctx, fsys, jailtest.Ops()[random.IntN(len(jailtest.Ops()))], names[random.IntN(len(names))])
	}
	_, err = os.Lstat(ends)
	require.Error(t, err)
	require.NoError(t, fsys.Close())
}
