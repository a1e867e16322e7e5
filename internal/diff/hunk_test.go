package diff

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func ids(hunks []Hunk) []string {
	var list []string
	for _, h := range hunks {
		list = append(list, h.ID)
	}
	return list
}

// TestAHunkKeepsItsIdWhenOthersGo: apply some hunks, compare again: the others are there, under their ids.
func TestAHunkKeepsItsIdWhenOthersGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := lineBlock("line", 120)
		b := bytes.Clone(a)
		places := rapid.SliceOfNDistinct(rapid.IntRange(0, 11), 2, 8, rapid.ID).Draw(t, "places")
		for _, p := range places {
			old := split(a).at(10 * p)
			b = bytes.Replace(b, old, append([]byte("new\nand "), old...), 1)
		}
		d := Compute(a, b)
		hunks := d.Hunks(DefaultContext)
		require.Len(t, hunks, len(places))
		take := map[string]bool{}
		var rest []string
		for _, h := range hunks {
			if take[h.ID] = rapid.Bool().Draw(t, "take"); !take[h.ID] {
				rest = append(rest, h.ID)
			}
		}
		applied := d.Select(hunks, func(h Hunk) bool { return take[h.ID] })
		assert.Equal(t, rest, ids(Compute(applied, b).Hunks(DefaultContext)), "applied to the old text")
		dropped := d.Select(hunks, func(h Hunk) bool { return !take[h.ID] })
		assert.Equal(t, rest, ids(Compute(a, dropped).Hunks(DefaultContext)), "others dropped from the new text")
	})
}

func TestHunkIds(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}(-[1-9][0-9]*)?$`)
	block := "1\n2\n3\nold\n4\n5\n6\n"
	changed := "1\n2\n3\nnew\n4\n5\n6\n"
	a, b := []byte(block+block+block), []byte(changed+changed+changed)
	list := ids(Compute(a, b).Hunks(DefaultContext - 1))
	require.Len(t, list, 3)
	for _, id := range list {
		assert.Regexp(t, form, id)
	}
	assert.Equal(t, []string{list[0], list[0] + "-2", list[0] + "-3"}, list, "identical ones are numbered")

	id := func(a, b string) string { return Compute([]byte(a), []byte(b)).Hunks(3)[0].ID }
	assert.NotEqual(t, id("a\n", "b\n"), id("a\n", "c\n"))
	assert.NotEqual(t, id("a\n", "b\n"), id("x\na\n", "x\nb\n"), "the context belongs to it")
	assert.NotEqual(t, id("a\n", "b\n"), id("a\n", "b"), "and the last LF")
	assert.NotEqual(t, id("a", "b"), id("", "a+b"), "lines have bounds")
	assert.Equal(t, "4b05b9b0", id("a\n", "b\n"), "ids are kept in notes and scripts: they do not change between releases")
}

// TestSelectLeavesEveryOtherByte: one hunk of three in a file with a BOM, CRLF, one lone LF, and no LF at its end.
func TestSelectLeavesEveryOtherByte(t *testing.T) {
	var a []byte
	a = append(a, "\xef\xbb\xbfone\r\n"...)
	for _, line := range []string{"2", "3", "4", "5", "6", "7", "8", "9", "10\n", "11", "12", "13", "14", "15", "16", "17"} {
		a = append(append(a, line...), "\r\n"...)
	}
	a = append(a, "last"...)
	b := bytes.Replace(a, []byte("one\r\n"), []byte("ONE\n"), 1)
	b = bytes.Replace(b, []byte("9\r\n"), []byte("nine\r\n"), 1)
	b = bytes.Replace(b, []byte("last"), []byte("LAST\n"), 1)
	d := Compute(a, b)
	hunks := d.Hunks(DefaultContext)
	require.Len(t, hunks, 3)
	for i, want := range [][]byte{
		bytes.Replace(a, []byte("one\r\n"), []byte("ONE\n"), 1),
		bytes.Replace(a, []byte("9\r\n"), []byte("nine\r\n"), 1),
		bytes.Replace(a, []byte("last"), []byte("LAST\n"), 1),
	} {
		assert.Equal(t, string(want), string(d.Select(hunks, func(h Hunk) bool { return h.ID == hunks[i].ID })))
		assert.Equal(t, string(want), string(d.Select(hunks[i:i+1], func(Hunk) bool { return true })), "some of the hunks")
	}
}
