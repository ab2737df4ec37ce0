package record

import (
	"net/url"
	"strings"

	"trunkline/prefix/reuse"
	"trunkline/proxy"
)

// Settings are those of a proxy on which the bytes that it sends depend.
type Settings struct {
	Base         string   `json:"base"`     // path of the provider's base URL
	Provider     string   `json:"provider"` // name of the profile
	Tools        []string `json:"tools"`
	AskUsage     string   `json:"ask_usage"`
	InterceptOwn bool     `json:"intercept_own,omitempty"`
	NoRepair     bool     `json:"no_repair,omitempty"`
	Breakpoints  bool     `json:"breakpoints,omitempty"`
	NoStaging    bool     `json:"no_staging,omitempty"`
	Adopt        bool     `json:"adopt,omitempty"`
}

// SettingsOf returns the settings of a proxy with this configuration.
func SettingsOf(c proxy.Config) Settings {
	s := Settings{
		Provider:     c.Provider.Name,
		Tools:        append([]string{}, c.Tools...),
		AskUsage:     string(c.AskUsage),
		InterceptOwn: c.InterceptOwn,
		NoRepair:     c.NoRepair,
		Breakpoints:  c.Breakpoints,
		NoStaging:    c.NoStaging,
		Adopt:        c.Adopt,
	}
	if len(c.Upstreams) > 0 {
		if base, err := url.Parse(c.Upstreams[0]); err == nil {
			s.Base = strings.TrimSuffix(base.EscapedPath(), "/")
		}
		if s.Provider == "" {
			s.Provider = reuse.ByURL(c.Upstreams[0]).Name
		}
	}
	return s
}

// config returns the configuration of a proxy with these settings, in front of a provider
// at origin (scheme and host).
func (s Settings) config(origin string) (proxy.Config, error) {
	c := proxy.Config{
		Upstreams:    []string{origin + s.Base},
		Tools:        s.Tools,
		AskUsage:     proxy.AskUsage(s.AskUsage),
		InterceptOwn: s.InterceptOwn,
		NoRepair:     s.NoRepair,
		Breakpoints:  s.Breakpoints,
		NoStaging:    s.NoStaging,
		Adopt:        s.Adopt,
	}
	var err error
	if s.Provider != "" {
		c.Provider, err = reuse.Lookup(s.Provider)
	}
	return c, err
}
