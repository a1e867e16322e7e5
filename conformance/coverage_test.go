package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowsOf are the rows of the case table, cases/edit.md, that the suite answers
// for: how many each letter has. Globs, searches and the cancelling of a search
// (groups 9 and 10, and C04) come with those tools.
var rowsOf = []struct {
	letter string
	rows   int
}{{"R", 38}, {"L", 12}, {"W", 18}, {"E", 46}, {"M", 9}, {"V", 18}, {"P", 13}, {"X", 23}, {"C", 3}}

// covered says what answers for a row: the case of the suite under its own id,
// further cases, and tests of one package, as "package:Test", for what only a
// real host can show. Rows that are not named here are answered for by "case".
const covered = `
R20 case R20/streamed
R32 internal/hostfs:TestR32EndlessDevice
R33 case internal/hostfs:TestSpecialFiles
R34 internal/hostfs:TestSpecialFiles
R35 case internal/hostfs:TestR35GrowsWhileRead
R36 case internal/hostfs:TestR36CutWhileRead
R37 case internal/e2e:TestWindowDeepInALargeFile
L04 case backends/local:TestUnprivileged
L05 case backends/local:TestUnprivileged
L09 case internal/hostfs:TestL09Names200000
W10 case W10/special
W13 case W13/aborted
W14 case W14/kept W14/kept-only-where-pure W14/kept-unless-content-has-it
W15 case W15/kept W15/never-two
E32 case E32/real-edit
E46 case E46/special
V13 case V13/processes
V16 case internal/hostfs:TestV16CaseInsensitiveVolume
X01 case internal/hostfs:TestStagingIsPrivate
X02 case internal/hostfs:TestPutCreates
X03 internal/hostfs:TestPutCreates
X05 case internal/hostfs:TestPutKeepsOwner
X11 case backends/local:TestUnprivileged internal/hostfs:TestUnprivileged
X13 case backends/local:TestUnprivileged internal/hostfs:TestUnprivileged
X14 internal/hostfs:TestConformance
X15 internal/hostfs:TestMounts
X16 case internal/hostfs:TestMounts internal/e2e:TestFullDisk
X17 internal/hostfs:TestX17CrashLeavesOldOrNew
X18 internal/hostfs:TestX18WatchersSeeOneFile
X19 internal/hostfs:TestX19GitStatusStaysClean
X20 internal/hostfs:TestX20TargetHeldOpen
X21 internal/hostfs:TestX21SyncBeforePublish
X22 internal/hostfs:TestStagingIsPrivate
X23 case internal/hostfs:TestChangeBeforePublication
`

// tableRows are the ids that rowsOf stands for, in order.
func tableRows() []string {
	var ids []string
	for _, group := range rowsOf {
		for i := range group.rows {
			ids = append(ids, fmt.Sprintf("%s%02d", group.letter, i+1))
		}
	}
	return ids
}

// coverage is covered by id, with every row in it.
func coverage(t *testing.T) map[string][]string {
	table := map[string][]string{}
	for _, id := range tableRows() {
		table[id] = nil
	}
	for line := range strings.Lines(strings.TrimSpace(covered)) {
		fields := strings.Fields(line)
		by, known := table[fields[0]]
		require.True(t, known, "covered names %s, which is no row", fields[0])
		require.Empty(t, by, "covered names %s twice", fields[0])
		require.NotEmpty(t, fields[1:], "covered names nothing for %s", fields[0])
		table[fields[0]] = fields[1:]
	}
	for id, by := range table {
		if by == nil {
			table[id] = []string{"case"}
		}
	}
	return table
}

// Every row is answered for by a case or a test that exists, and every case
// about a row is one of those.
func TestEveryRowIsCovered(t *testing.T) {
	cases := map[string]bool{}
	for _, c := range Cases() {
		if name, ok := strings.CutPrefix(c.Name, "edit.md/"); ok {
			cases[name] = true
		}
	}
	tests := map[string]map[string]bool{}
	table := coverage(t)
	for _, id := range tableRows() {
		for _, by := range table[id] {
			pkg, test, isTest := strings.Cut(by, ":")
			if !isTest {
				name := strings.Replace(by, "case", id, 1)
				assert.True(t, cases[name], "%s: there is no case edit.md/%s", id, name)
				delete(cases, name)
				continue
			}
			if tests[pkg] == nil {
				tests[pkg] = testsOf(t, pkg)
			}
			assert.True(t, tests[pkg][test], "%s: there is no test %s in %s", id, test, pkg)
		}
	}
	assert.Empty(t, cases, "cases that are named after no row, or that no row names")
}

// testsOf parses the tests of a package, whatever they are built on, and returns
// the names of those that do something.
func testsOf(t *testing.T, pkg string) map[string]bool {
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*_test.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && isTest(f) {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// isTest tells whether f is what go test runs: func TestX(t *testing.T), with a body.
func isTest(f *ast.FuncDecl) bool {
	if f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Body == nil || len(f.Body.List) == 0 {
		return false
	}
	params := f.Type.Params.List
	if len(params) != 1 || len(params[0].Names) > 1 {
		return false
	}
	star, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := star.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "T"
}

// Where the case table lies beside the repository, its ids are those that are
// embedded here. A fresh clone has no table, and the embedded ids stand.
func TestRowsAreThoseOfTheTable(t *testing.T) {
	body, err := os.ReadFile("../../shared/cases/edit.md")
	if os.IsNotExist(err) {
		t.Logf("no case table beside the repository; %d embedded ids stand", len(tableRows()))
		return
	}
	require.NoError(t, err)
	var ids []string
	group := 0
	for line := range strings.Lines(string(body)) {
		if strings.HasPrefix(line, "## ") {
			if _, err := fmt.Sscanf(line, "## %d.", &group); err != nil {
				group = 0
			}
		}
		if m := rowOfTable.FindStringSubmatch(line); m != nil && (group >= 1 && group <= 8 || group == 11 && m[1] != "C04") {
			ids = append(ids, m[1])
		}
	}
	assert.Equal(t, tableRows(), ids)
}

var rowOfTable = regexp.MustCompile(`^\| ([A-Z]\d\d) \|`)

// No file of the suite of the tools is long.
func TestToolFilesAreShort(t *testing.T) {
	files, err := fs.Glob(os.DirFS("."), "tools*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		body, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.LessOrEqual(t, strings.Count(string(body), "\n"), 400, name)
	}
}
