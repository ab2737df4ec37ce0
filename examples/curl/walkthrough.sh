#!/usr/bin/env bash
# What the proxy does, by hand. Start the simulated provider and the proxy first:
#
#   proxy sim --listen 127.0.0.1:8090
#   proxy serve --upstream http://127.0.0.1:8090/v1 --provider sim
#
# The simulated model does what it is told: "say X" answers X, "call T {…}" calls T.
# With a real one, say it in your own words.
set -euo pipefail
base=${BASE:-http://127.0.0.1:8080}
run=${RUN:-$$} # agents are remembered: a new run has new ones
lead=lead-$run reviewer=reviewer-$run

step() { printf '\n# %s\n' "$*"; }
# chat BODY HEADER…: one request for an answer
chat() {
  local body=$1 headers=()
  shift
  for header; do headers+=(-H "$header"); done
  curl -sS --fail-with-body "$base/v1/chat/completions" -H 'Content-Type: application/json' "${headers[@]}" -d "$body"
  echo
}

step "Without headers it is an ordinary request, relayed as it is."
chat '{"model":"sim-1","messages":[{"role":"user","content":"say hello"}]}'

step "With an id it is an agent's. The model sees three tools more; this client does not."
chat '{"model":"sim-1","messages":[
  {"role":"system","content":"You lead a review."},
  {"role":"user","content":"say I have read the change"}]}' "X-Agent-Id: $lead"

step "A fork sends its task alone: the lead's bytes go before it. It sends the lead a message."
chat '{"model":"sim-1","messages":[
  {"role":"user","content":"call send_message {\"agent_id\":\"'"$lead"'\",\"message\":\"line 3 logs a token\"}\nthen say reviewed"}]}' \
  "X-Agent-Id: $reviewer" "X-Agent-Parent-Id: $lead"

step "Who is there: the fork has settled, and two entries wait for the lead."
curl -sS --fail-with-body "$base/agents/$lead"
echo
curl -sS --fail-with-body "$base/agents?root=$lead"
echo

step "The lead reads both at its next turn, ahead of its prompt."
chat '{"model":"sim-1","messages":[
  {"role":"system","content":"You lead a review."},
  {"role":"user","content":"say I have read the change"},
  {"role":"assistant","content":"I have read the change"},
  {"role":"user","content":"say thanks"}]}' "X-Agent-Id: $lead"

step "What went to the provider for the lead, item by item, and where each is from."
curl -sS --fail-with-body "$base/agents/$lead/transcript"
echo

step "What of the fork's last request was reused, and what should have been."
curl -sS --fail-with-body "$base/agents/$reviewer/prefix"
echo

step "The same for all, as Prometheus reads it."
curl -sS --fail-with-body "$base/metrics" | grep '^trunkline_prompt_tokens_total'

step "Ends the lead, and the fork with it."
curl -sS --fail-with-body -X DELETE "$base/agents/$lead" -w '%{http_code}\n'
