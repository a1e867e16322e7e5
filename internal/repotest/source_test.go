package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The limits of DESIGN §13. Tests are tables of cases and may have long functions.
const (
	maxFileLines     = 600
	maxFunctionLines = 60
)

type source struct {
	path string
	test bool
	file *ast.File
	set  *token.FileSet
}

// sources parses every Go file of the repository, for whatever platform.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".git")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{path: path, test: strings.HasSuffix(path, "_test.go"), file: file, set: set})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		lines := s.set.Position(s.file.FileEnd).Line
		assert.LessOrEqual(t, lines, maxFileLines, "%s: split it by capability", s.path)
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
				if returnsCases(f) {
					continue // a table of cases that happens to be a function
				}
				assert.LessOrEqual(t, n, maxFunctionLines, "%s: %s has %d lines: a function is of a screen", s.path, f.Name.Name, n)
			}
		}
	}
}

// returnsCases reports whether f is a table of the conformance suite.
func returnsCases(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	list, ok := f.Type.Results.List[0].Type.(*ast.ArrayType)
	if !ok {
		return false
	}
	element, ok := list.Elt.(*ast.Ident)
	return ok && element.Name == "Case"
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) {
					s.documented(t, d.Name, d.Doc, true)
				}
			case *ast.GenDecl:
				s.group(t, d)
			}
		}
	}
}

func (s source) group(t *testing.T, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				doc := spec.Doc
				if doc == nil && len(d.Specs) == 1 {
					doc = d.Doc
				}
				s.documented(t, spec.Name, doc, true)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				// A group of constants is documented as a whole, or each at its line.
				if name.IsExported() && d.Doc == nil && spec.Comment == nil {
					s.documented(t, name, spec.Doc, false)
				}
			}
		}
	}
}

func (s source) documented(t *testing.T, name *ast.Ident, doc *ast.CommentGroup, byName bool) {
	where := s.set.Position(name.Pos())
	if !assert.NotNil(t, doc, "%s: %s has no doc comment", where, name.Name) || !byName {
		return
	}
	text := doc.Text()
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	assert.True(t, strings.HasPrefix(text, name.Name), "%s: the doc of %s must begin with its name", where, name.Name)
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported() && !wellKnown[d.Name.Name]
}

// wellKnown are methods whose meaning is that of the interface they are for.
var wellKnown = map[string]bool{
	"String": true, "Error": true, "Unwrap": true, "Is": true, "Close": true, "Read": true, "ReadAt": true, "Write": true,
	"Caps": true, "Lstat": true, "Open": true, "List": true, "Apply": true, "LinkFree": true, "Snapshot": true, "Fork": true,
	"Info": true, "Version": true, "Exists": true, "Bytes": true,
}

func TestEveryPackageHasOneDocWithItsLimits(t *testing.T) {
	docs := map[string][]string{}
	for _, s := range sources(t) {
		dir := filepath.Dir(s.path)
		if s.test {
			continue
		}
		docs[dir] = append(docs[dir], s.file.Doc.Text())
	}
	for dir, list := range docs {
		var doc []string
		for _, d := range list {
			if d != "" {
				doc = append(doc, d)
			}
		}
		if !assert.Len(t, doc, 1, "%s: one package comment", dir) || strings.Contains(filepath.ToSlash(dir), "cmd/") {
			continue
		}
		assert.Contains(t, doc[0], "# Limits", "%s: its doc must state its limits", dir)
	}
}

func TestNothingIsSkipped(t *testing.T) {
	for _, s := range sources(t) {
		body, err := os.ReadFile(s.path)
		require.NoError(t, err)
		for _, word := range []string{"t." + "Skip", "b." + "Skip", "TO" + "DO", "FIX" + "ME"} {
			assert.False(t, strings.Contains(string(body), word), "%s: %q", s.path, word)
		}
	}
}
