package proxy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// caseList says where each numbered fault is played: a test as package directory:name, or a
// story's file.
var caseList = map[string]string{
	"01 a body is decoded and encoded anew":          "proxy:TestCase01 proxy:TestCase11 prefix:TestCase1SameBodyTwoHundredTimes",
	"02 extra fields swap places":                    "proxy:TestCase02 proxy:TestCase02Swapped proxy:TestCase02Answer tools:TestMessage",
	"05 tools in connection order":                   "proxy:TestCase05 proxy:TestCase05Repair proxy:TestCase05Forks prefix/reuse:TestCase5Tools prefix:TestCase5ToolsInConnectionOrder",
	"06 a nonce opens the system prompt":             "proxy:TestCase06 proxy:TestCase06Agent proxy:TestCase06Twice prefix/reuse:TestCase6Nonce",
	"07 a clock in the system prompt":                "proxy:TestCase07 proxy:TestCase07Fork proxy:TestCase07ForkWhileItRuns prefix/reuse:TestCase7Clock",
	"08 reminders come and go":                       "proxy:TestCase08 proxy:TestCase08Insertion e2e:TestInsertionStays",
	"11 ids are drawn anew":                          "proxy:TestCase11 proxy:TestCase11Retry",
	"12 history is tidied":                           "proxy:TestCase12 proxy:TestOwnCallGoesOnInTheSameAnswer",
	"13 reasoning is not sent back":                  "proxy:TestCase13 proxy:TestOwnCallGoesOnInTheSameAnswer tools:TestMessage prefix:TestSettleFollowsTheFirstEcho",
	"14 a fork inherits messages only":               "proxy:TestCase14 prefix:TestCase14ForkInheritsWhatEntersThePrompt",
	"15 forks and cache keys":                        "proxy:TestCase15 proxy:TestCase15FanOut proxy:TestSiblingAhead",
	"16 compaction and pruning":                      "proxy:TestCase16 proxy:TestCase16Aside prefix/reuse:TestCase16Compaction",
	"17 usage beside choices":                        "proxy:TestCase17 tools:TestCase17UsageFromAnyChunk",
	"18 shapes of cache counts":                      "proxy:TestCase18 prefix:TestReadUsage",
	"19 equal prompts, other hosts":                  "proxy:TestCase19 prefix/reuse:TestAccountNamesTheLoss",
	"20 empty and repeated identity of calls":        "proxy:TestOwnCallGoesOnInTheSameAnswer proxy:TestStreamsPassUnchanged tools:TestMessage",
	"23 a call and the finish in one event":          "proxy:TestOwnCallGoesOnInTheSameAnswer proxy:TestStreamsPassUnchanged tools:TestCase67WhatTheClientSees",
	"24 a finish that does not fit":                  "proxy:TestCase24 proxy:TestOwnCallIsNotExecuted proxy:TestStreamsPassUnchanged tools:TestCase24CompleteMeansOneObject",
	"26 keep-alives":                                 "proxy:TestCase26 proxy:TestCase26Held proxy:TestHeartbeats",
	"28 long lines":                                  "proxy:TestCase28PastTheCeiling proxy:TestStreamsPassUnchanged proxy/sse:TestCase28LongLines proxy/sse:TestCase28Joins proxy/sse:TestCase28PauseBehindALongEvent",
	"29 an error within a good stream":               "proxy:TestCase29 proxy:TestOwnCallIsNotExecuted proxy:TestStreamsPassUnchanged tools:TestCase29Failure tools:TestCase29ErrorsPass",
	"30 an answer without its end":                   "proxy:TestCase30 proxy:TestOwnCallIsNotExecuted proxy:TestStreamsPassUnchanged tools:TestCase30State tools:TestCase30NothingIsInvented",
	"31 headers before the status is known":          "proxy:TestCase31",
	"33 several choices":                             "proxy:TestCase33 tools:TestCase33OnlyChoice0IsAssembled tools:TestCase33ChoicesPassUntouched",
	"35 usage that nobody asked for":                 "proxy:TestCase35 tools:TestCase35UsageThatTheClientDidNotAskFor",
	"37 half a character":                            "proxy:TestCase37 tools:TestCase37InsertedTextIsClean prefix:TestCase37LoneSurrogatePassesUnchanged",
	"39 unknown fields":                              "proxy:TestCase39 proxy:TestOtherRoutesAreNotEdited prefix:TestCase39UnknownFieldsSurvive",
	"41 absent, null and empty":                      "proxy:TestCase41AnswerThatSaysNothing proxy:TestCase41ReasoningAlone proxy:TestCase41 tools:TestJoin e2e:TestMixedCalls",
	"42 call ids repeat":                             "proxy:TestCase42 agents/testdata/stories/case42_repeated_call_ids.txtar",
	"43 calls without results":                       "proxy:TestCase43 proxy:TestCase43Refused proxy:TestCase43Fork agents/testdata/stories/case43_fork_or_abort.txtar",
	"44 names and roles":                             "proxy:TestCase44 proxy:TestBytesGoUpUnchanged tools:TestTextsArePinned",
	"45 large bodies":                                "proxy:TestCase45 proxy:TestBodyLimit proxy:TestBodiesInFlight proxy:TestStorageGrowsByWhatIsNew",
	"47 the client leaves":                           "proxy:TestCase47 proxy:TestCase47f e2e:TestCase47ClientLeaves e2e:TestCase47ClientLeavesInItsRequest e2e:TestMessageOfALeaver",
	"48 time-outs":                                   "proxy:TestCase48Live proxy:TestCase48LongPrefill proxy:TestCase48Silent proxy:TestCase48SilentWhole proxy:TestCase48NoHeaders",
	"49 leaks of cancelled streams":                  "proxy:TestCase49",
	"50 refusals lose their headers":                 "proxy:TestCase50",
	"51 base URLs":                                   "proxy:TestCase51",
	"54 retries after a part":                        "proxy:TestCase54 proxy:TestNothingIsSentTwice",
	"55 WebSocket upgrades":                          "proxy:TestCase55",
	"57 a message while its target goes idle":        "agents:TestWeave e2e:TestMessageExtendsTheTurn e2e:TestMessageBeforeThePrompt",
	"58 acknowledged, and never read":                "proxy:TestCase58 agents/testdata/stories/case58_released_in_order.txtar",
	"59 a retry sends twice":                         "agents/testdata/stories/case59_send_twice.txtar e2e:TestRetryAfterACutStep e2e:TestKillsOnOneFile",
	"62 waits have an end":                           "proxy/api:TestAPIWait proxy/api:TestAPIWaitEnds",
	"63 the same creation again, and held responses": "proxy/api:TestAPICreate proxy:TestHeartbeats",
	"64 stopping and what is below":                  "agents/testdata/stories/delete.txtar agents/testdata/stories/interrupt_keeps_pending.txtar",
	"65 after a restart":                             "agents/testdata/stories/alone_voids_leases.txtar agents/testdata/stories/residency.txtar e2e:TestRestart",
	"66 the place of an insertion":                   "proxy:TestCase66 prefix:TestPlace e2e:TestCase66NothingInsideABatch agents/testdata/stories/case66_steer_places.txtar",
	"67 calls of both sides in one answer":           "tools:TestCase67WhatTheClientSees e2e:TestMixedCalls e2e:TestClientToolOfOurName",
	"68 waiting beside a small pool":                 "proxy:TestCase68",
	"70 a full inbox":                                "proxy/api:TestAPIMessagesFillAnInbox agents/testdata/stories/inbox_full.txtar",
	"71 eviction and what nobody reads":              "agents/redisstore:TestOpenUnfitServer agents/testdata/stories/unread_for_a_day.txtar",
	"72 agents on several slots":                     "agents/redisstore:TestConformanceOnCluster e2e:TestAnyProxyServesAnyAgent",
	"74 wake-ups are lost":                           "agents/redisstore:TestKilledServer agents:TestAwaitNeedsNoHints",
}

var declaredTest = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// TestCaseList: every place in the list exists, and every case of the packages that it names
// is in it.
func TestCaseList(t *testing.T) {
	tests := map[string][]string{} // directory → names of its tests
	in := func(dir string) []string {
		if tests[dir] == nil {
			files, _ := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
			for _, file := range files {
				source, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range declaredTest.FindAllSubmatch(source, -1) {
					tests[dir] = append(tests[dir], string(m[1]))
				}
			}
		}
		return tests[dir]
	}
	listed := map[string]bool{}
	for fault, places := range caseList {
		for place := range strings.FieldsSeq(places) {
			listed[place] = true
			dir, name, isTest := strings.Cut(place, ":")
			if !isTest {
				if _, err := os.Stat(filepath.Join("..", place)); err != nil {
					t.Errorf("%s: %v", fault, err)
				}
			} else if !slices.Contains(in(dir), name) {
				t.Errorf("%s: there is no %s", fault, place)
			}
		}
	}
	for dir, names := range tests {
		for _, name := range names {
			if strings.HasPrefix(name, "TestCase") && name != "TestCaseList" && !listed[dir+":"+name] {
				t.Errorf("%s:%s is not in the list", dir, name)
			}
		}
	}
}
