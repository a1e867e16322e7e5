package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two processes work in one session, and each sees what the other did.
func TestTwoProcessesOnOneSession(t *testing.T) {
	root := dryWorld(t)
	const each = 20
	var running []*exec.Cmd
	for who := range 2 {
		var lines []string
		for i := range each {
			lines = append(lines, write(fmt.Sprintf("p%d-%02d", who, i), "x\n"))
		}
		cmd := exec.Command(shared(t), "call", "-", "--root", root, "--dry=both", "--landlock=off")
		cmd.Env = append(os.Environ(), asMain+"=")
		cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
		require.NoError(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		require.NoError(t, cmd.Wait())
	}
	assert.Equal(t, 2*each, strings.Count(must(t, root, "changes"), "A p"))
	must(t, root, "apply", "--yes")
	names, err := filepath.Glob(filepath.Join(root, "p*"))
	require.NoError(t, err)
	assert.Len(t, names, 2*each)
}

// unfinishedApply is a root in which an apply was killed in its middle.
func unfinishedApply(t *testing.T) (root string) {
	t.Helper()
	const files = 400
	for range 20 {
		root = dryWorld(t)
		var lines []string
		for i := range files {
			lines = append(lines, write(fmt.Sprintf("n%03d", i), "x\n"))
		}
		session(t, lines, "--root", root, "--dry", "--no-policy")
		cmd := exec.Command(shared(t), "apply", "--yes", "--root", root)
		cmd.Env = append(os.Environ(), asMain+"=")
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool {
			_, err := os.Stat(filepath.Join(root, "n000"))
			return err == nil
		}, time.Minute, 100*time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if strings.Contains(must(t, root, "recover"), "left unfinished") {
			return root
		}
	}
	require.Fail(t, "no apply could be killed in its middle")
	return ""
}

func TestRecover(t *testing.T) {
	there := func(root string) int {
		list, err := filepath.Glob(filepath.Join(root, "n*"))
		require.NoError(t, err)
		return len(list)
	}
	root := unfinishedApply(t)
	code, out, errs := on(t, root, "recover")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "n000, n001")
	assert.Contains(t, out, "and 390 more")
	assert.Contains(t, errs, "--forward or --back")
	assert.Contains(t, must(t, root, "recover", "--json"), `"outcome":"unfinished"`)
	assert.Contains(t, must(t, root, "recover", "--back"), "brought back")
	assert.Zero(t, there(root))
	assert.Contains(t, must(t, root, "recover"), "There is nothing to recover.")
	assert.Equal(t, 400, strings.Count(must(t, root, "changes"), "A n"), "the session still has it")

	root = unfinishedApply(t)
	was := isTerminal
	defer func() { isTerminal = was }()
	isTerminal = func(any) bool { return true }
	code, _, _ = seamfs(t, "\n", "recover", "--root", root)
	assert.Equal(t, exitRefused, code)
	code, out, errs = seamfs(t, "f\n", "recover", "--root", root)
	assert.Equal(t, exitOK, code, errs)
	assert.Contains(t, out, "brought forward")
	assert.Equal(t, 400, there(root))
	isTerminal = was
	assert.Contains(t, must(t, root, "apply", "--yes"), "pplied")
}

// A whole process behind Landlock writes its session, and could not write the root if
// it tried.
func TestDryBehindTheWall(t *testing.T) {
	root := dryWorld(t)
	before := digestOf(t, root)
	for _, args := range [][]string{{"--dry"}, {"--dry", "--allow-apply"}} {
		cmd, probe := command(t, os.Geteuid(), filepath.Join(root, "f"), append([]string{"call", "-", "--root", root, "--no-policy", "--landlock=require"}, args...)...)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = fmt.Fprintln(in, write("new", strings.Join(args, " ")))
		require.NoError(t, err)
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		assert.Contains(t, line, "d file", line)
		if len(args) == 1 {
			for _, got := range probe() {
				assert.Subset(t, []string{"read", "list"}, got, "the root is read-only")
			}
			assert.Equal(t, before, digestOf(t, root))
		}
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
	}
	assert.Equal(t, "A new (19 bytes)\n", must(t, root, "changes"))
}
