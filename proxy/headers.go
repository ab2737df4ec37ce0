package proxy

import (
	"net/http"
	"strconv"
)

func setUint(h http.Header, name string, v uint64) { h.Set(name, strconv.FormatUint(v, 10)) }
