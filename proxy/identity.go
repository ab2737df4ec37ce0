package proxy

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"trunkline/agents"
)

// The identity headers of a request. They are read here and never sent on.
const (
	headerID     = "X-Agent-Id"
	headerParent = "X-Agent-Parent-Id"
	headerMode   = "X-Agent-Mode"
	headerKind   = "X-Agent-Kind"
	headerLabel  = "X-Agent-Label"
	headerNotify = "X-Agent-Notify"
	headerHead   = "X-Agent-Head"
	headerDeny   = "X-Agent-Tools-Deny"
	headerResume = "X-Agent-Resume"
)

var identityHeaders = [...]string{headerID, headerParent, headerMode, headerKind, headerLabel,
	headerNotify, headerHead, headerDeny, headerResume}

// unknownHeader returns a header that looks like one of an identity and is none: mistyped,
// it would make a child a root without anybody's noticing.
func unknownHeader(h http.Header) string {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if strings.HasPrefix(name, "X-Agent-") && !slices.Contains(identityHeaders[:], name) {
			return name
		}
	}
	return ""
}

// identify reads who an identified request is from; ok is false for an anonymous one.
func identify(h http.Header) (id string, who agents.Identity, ok bool, err error) {
	bad := func(header, why string) error {
		return &Error{Status: 400, Code: "invalid_header", Param: header, Message: header + ": " + why}
	}
	one := func(header string) (string, error) {
		switch values := h.Values(header); len(values) {
		case 0:
			return "", nil
		case 1:
			return strings.TrimSpace(values[0]), nil
		default:
			return "", bad(header, "given more than once")
		}
	}
	var v [9]string
	for i, header := range identityHeaders {
		if v[i], err = one(header); err != nil {
			return "", who, false, err
		}
	}
	if len(h.Values(headerID)) == 0 {
		for i, header := range [...]string{headerID, headerParent, headerMode, headerKind} {
			if v[i] != "" {
				return "", who, false, bad(header, "needs "+headerID)
			}
		}
		return "", who, false, nil
	}
	if name := unknownHeader(h); name != "" {
		return "", who, false, bad(name, "is no header of an agent; those are "+strings.Join(identityHeaders[:], ", "))
	}
	id = v[0]
	if agents.CheckID(id) != nil {
		return "", who, false, bad(headerID, agents.ErrBadID.Error())
	}
	if v[1] != "" && agents.CheckID(v[1]) != nil {
		return "", who, false, bad(headerParent, agents.ErrBadID.Error())
	}
	if v[1] == id {
		return "", who, false, bad(headerParent, "an agent cannot be its own parent")
	}
	for _, c := range []struct{ header, value, allowed string }{
		{headerMode, v[2], "fork|spawn"},
		{headerKind, v[3], "continuable|one-shot"},
		{headerNotify, v[5], "settled|none"},
		{headerHead, v[6], "own|inherit"},
		{headerResume, v[8], "client|hosted"},
	} {
		if c.value != "" && !slices.Contains(strings.Split(c.allowed, "|"), c.value) {
			return "", who, false, bad(c.header, "is "+strings.ReplaceAll(c.allowed, "|", " or "))
		}
	}
	if v[8] == "hosted" {
		return "", who, false, bad(headerResume, "hosted agents are not served by this proxy")
	}
	if err := agents.CheckLabel(v[4]); err != nil {
		return "", who, false, bad(headerLabel, err.Error())
	}
	who = agents.Identity{
		Parent: v[1],
		Mode:   agents.Mode(v[2]),
		Kind:   agents.Kind(v[3]),
		Label:  v[4],
		Notify: agents.Notify(v[5]),
		Head:   agents.HeadRule(v[6]),
	}
	for name := range strings.SplitSeq(v[7], ",") {
		if name = strings.TrimSpace(name); name != "" {
			who.Deny = append(who.Deny, name)
		}
	}
	return id, who, true, nil
}
