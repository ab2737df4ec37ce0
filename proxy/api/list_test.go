package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// listed returns the ids of a whole listing, page by page. between runs after each page.
func (e *edge) listed(query string, between func()) (ids []string) {
	e.t.Helper()
	for cursor := ""; ; {
		page := e.must(200, "GET", "/agents?"+query+"&cursor="+url.QueryEscape(cursor), "")
		for _, a := range page["data"].([]any) {
			ids = append(ids, a.(map[string]any)["id"].(string))
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return ids
		}
		between()
		cursor = next
	}
}

// family registers two trees, ids naming paths: a, a1, a2, a11, …, in an order that is not
// that of the listing.
func family(e *edge) (preorder []string) {
	for _, id := range []string{"b", "a", "a2", "a1", "a11", "a21", "a12", "b1"} {
		parent := ""
		if len(id) > 1 {
			parent = `,"parent_id":"` + id[:len(id)-1] + `"`
		}
		e.must(201, "POST", "/agents", `{"id":"`+id+`"`+parent+`}`)
	}
	// Creation has a resolution of milliseconds: the order of those of one moment is by id.
	order := func(ids ...string) []string {
		slices.SortStableFunc(ids, func(x, y string) int { return strings.Compare(e.createdAt(x), e.createdAt(y)) })
		return ids
	}
	for _, root := range order("a", "b") {
		preorder = append(preorder, root)
		if root == "b" {
			preorder = append(preorder, "b1")
			continue
		}
		for _, child := range order("a1", "a2") {
			preorder = append(preorder, child)
			if child == "a1" {
				preorder = append(preorder, order("a11", "a12")...)
			} else {
				preorder = append(preorder, "a21")
			}
		}
	}
	return preorder
}

func (e *edge) createdAt(id string) string {
	return e.must(200, "GET", "/agents/"+id, "")["created_at"].(string)
}

func only(ids []string, keep func(id string) bool) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !keep(id) })
}

// A listing has everything in pre-order, whatever the size of its pages.
func TestAPIList(t *testing.T) {
	e := newEdge(t, okay)
	all := family(e)
	inA := func(id string) bool { return id[0] == 'a' }
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"", all},
		{"scope=children", only(all, func(id string) bool { return len(id) == 1 })},
		{"root=a", only(all, inA)},
		{"root=a&scope=children", only(all, func(id string) bool { return inA(id) && len(id) < 3 })},
		{"parent=a", only(all, func(id string) bool { return inA(id) && len(id) > 1 })},
		{"parent=a&scope=children", only(all, func(id string) bool { return inA(id) && len(id) == 2 })},
		{"parent=a1&root=a", only(all, func(id string) bool { return strings.HasPrefix(id, "a1") && len(id) == 3 })},
		{"parent=a11", nil},
	} {
		for limit := 1; limit <= len(all)+1; limit++ {
			got := e.listed(fmt.Sprintf("%s&limit=%d", c.query, limit), func() {})
			if !slices.Equal(got, c.want) {
				t.Errorf("?%s by %d: %v, want %v", c.query, limit, got, c.want)
			}
		}
	}
}

// What comes and goes between two pages does not make anybody else appear twice or never.
func TestAPIListWhileAgentsChange(t *testing.T) {
	e := newEdge(t, okay)
	all := family(e)
	n := 0
	got := e.listed("limit=1", func() {
		n++
		for _, parent := range []string{"a", "a1", "b"} {
			if n < 6 { // more pages than that would not end
				e.must(201, "POST", "/agents", fmt.Sprintf(`{"id":"new-%s-%d","parent_id":"%s"}`, parent, n, parent))
			}
		}
		if n == 2 {
			e.must(204, "DELETE", "/agents/b1", "")
		}
	})
	old := func(id string) bool { return !strings.HasPrefix(id, "new-") }
	seen := only(got, old)
	want := all
	if slices.Index(all, "b1") > 1 {
		want = only(all, func(id string) bool { return id != "b1" })
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the pages have %v, want %v once each, in this order", seen, want)
	}
	slices.Sort(got)
	if distinct := slices.Compact(slices.Clone(got)); len(distinct) != len(got) {
		t.Errorf("somebody is listed twice: %v", got)
	}
}
