package api

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"trunkline/prefix"
)

// agentTranscript is GET /agents/{id}/transcript: the messages that stand in the agent's
// prompt, each in the bytes that go upstream, with who put it there.
func (s *Server) agentTranscript(w http.ResponseWriter, r *http.Request, tenant string) error {
	var limit, cursor string
	if err := query(r, map[string]*string{"limit": &limit, "cursor": &cursor}); err != nil {
		return err
	}
	n, err := pageSize(limit)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi("0" + cursor)
	if err != nil {
		return invalid("cursor", "not a cursor of this listing")
	}
	key, err := agentKey(tenant, r)
	if err != nil {
		return err
	}
	head, branch, inherited, err := s.History(r.Context(), key)
	if err != nil {
		return err
	}
	page := transcriptPage{from: from, to: from + n}
	for _, item := range head.System {
		page.add(&prefix.Entry{Item: item}, false)
	}
	for i, entry := range branch.All(0) {
		page.add(entry, i < inherited)
	}
	return page.answer(w)
}

// transcriptPage collects the items of one page. They are written by hand: their bytes
// are the transcript, and an encoder would change them.
type transcriptPage struct {
	from, to int // the page is [from, to)
	at       int // items seen
	data     bytes.Buffer
}

func (p *transcriptPage) add(e *prefix.Entry, inherited bool) {
	i := p.at
	p.at++
	if i < p.from || i >= p.to {
		return
	}
	if i > p.from {
		p.data.WriteString(",")
	}
	fmt.Fprintf(&p.data, "\n"+`{"index":%d,"origin":"%s","inherited":%t,"hidden":%t`, i, e.Origin, inherited, e.Hidden)
	if e.ID != "" {
		fmt.Fprintf(&p.data, `,"message_id":%s`, prefix.Quote(e.ID))
	}
	if len(e.Source) > 0 {
		fmt.Fprintf(&p.data, `,"source":%s`, e.Source)
	}
	fmt.Fprintf(&p.data, `,"item":%s}`, e.Item)
}

func (p *transcriptPage) answer(w http.ResponseWriter) error {
	next := "null"
	if p.to < p.at {
		next = `"` + strconv.Itoa(p.to) + `"`
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	_, err := fmt.Fprintf(w, `{"data":[%s],"next_cursor":%s}`+"\n", p.data.Bytes(), next)
	return err
}
