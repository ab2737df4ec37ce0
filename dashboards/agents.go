package dashboards

import "trunkline/metrics"

func agentsBoard() Board {
	return Board{
		UID: "trunkline-agents", Title: "trunkline / agents",
		Description: "Who is there, what they say to each other and how long it takes, and what holds them.",
		Rows: []Row{
			{"Agents", []Panel{
				{Title: "Running", Number: true, Unit: "short", Description: "Agents with an open turn.",
					Queries: []Query{{sum("", "max by (job) ("+of(metrics.Agents, `status="running"`)+")"), "running"}}},
				{Title: "Waiting entries", Number: true, Unit: "short", Description: "Messages and notices that wait in all inboxes.",
					Queries: []Query{{stored("", metrics.InboxEntries), "entries"}}},
				{Title: "Delivery", Number: true, Unit: "s", Description: "The time within which 95 % of the messages reach their reader's prompt.",
					Queries: []Query{{quantile("0.95", "", metrics.MessageDeliverySeconds), "95 %"}}},
				{Title: "Refused", Number: true, Unit: "percentunit", Description: "Share of the messages that were refused, in the time range.",
					Queries: []Query{{share(within("", metrics.MessagesTotal, `kind="message"`, `outcome!="accepted"`), within("", metrics.MessagesTotal, `kind="message"`)), "refused"}}},
				{Title: "Agents by status", Stacked: true, Unit: "short", Description: "running: a turn is open. idle: between turns. ready: only in the store; can be resumed.",
					Queries: []Query{{stored("status", metrics.Agents), "{{status}}"}}},
				{Title: "Settlements", Stacked: true, Unit: "ops", Description: "Activations of children that ended per second, by how.",
					Queries: []Query{{perSecond("outcome", metrics.SettlementsTotal), "{{outcome}}"}}},
				{Title: "Leases", Stacked: true, Unit: "short", Description: "held: exchanges that a proxy serves now. lapsed: those whose proxy has stopped renewing; the agent's next request takes them over.",
					Queries: []Query{{stored("state", metrics.Leases), "{{state}}"}}},
			}},
			{"Messages", []Panel{
				{Title: "Messages by route", Stacked: true, Unit: "ops", Description: "Accepted messages per second. step: the target is in a turn and reads it at its next step. parked: it waits for the target's client.",
					Queries: []Query{{perSecond("route", metrics.MessagesTotal, `kind="message"`, `outcome="accepted"`), "{{route}}"}}},
				{Title: "Refused messages", Stacked: true, Unit: "ops", Description: "Messages per second that were refused, by why.",
					Queries: []Query{{perSecond("outcome", metrics.MessagesTotal, `kind="message"`, `outcome!="accepted"`), "{{outcome}}"}}},
				{Title: "Delivery time", Unit: "s", Description: "From a message's acceptance to the provider's acceptance of a request that holds it. A parked message waits for its reader's client.",
					Queries: quantiles(metrics.MessageDeliverySeconds)},
				{Title: "Notices and reports", Stacked: true, Unit: "ops", Description: "Entries per second that are no messages: notices that a child settled, and reports of what became of a message.",
					Queries: []Query{{perSecond("kind", metrics.MessagesTotal, `kind!="message"`), "{{kind}}"}}},
				{Title: "Waiting entries", Unit: "short", Description: "Messages and notices in all inboxes. One inbox takes 64 messages and then refuses.",
					Queries: []Query{{stored("", metrics.InboxEntries), "entries"}}},
				{Title: "Record commits", Unit: "ops", Description: "Commits to agents' records per second, one for each step of a conversation and more where two meet.",
					Queries: []Query{{perSecond("", metrics.StoreOpSeconds+"_count", `op="commit"`), "commits"}}},
			}},
		},
	}
}
