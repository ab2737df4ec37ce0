# make test is what a change must pass; make lint is what it must look like.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:

GO ?= go
FUZZTIME ?= 60s

say = printf '== %s\n'

# What the tests have from npm, clients and an engine, is installed once per lock file. The
# engine is published for one kind of machine; on others its tests are skipped, and say so.
engine-here := $(if $(wildcard /lib/ld-musl-*),,$(filter Linux-x86_64,$(shell uname -s)-$(shell uname -m)))
node-locks := $(wildcard e2e/node/package-lock.json $(if $(engine-here),e2e/engine/package-lock.json))
node-done := $(node-locks:package-lock.json=node_modules/.installed)

.PHONY: build test test-full fuzz lint bench bench-fork demo deps clients clients-full

build: ## bin/proxy
	$(GO) build -o bin/proxy ./cmd/proxy

# Twice over everything: as it ships, and under the race detector (the
# end-to-end tests then run a proxy that has it too). Both in random order.
test: deps $(node-done) clients
	@$(say) 'go vet'; $(GO) vet ./...
	@$(say) 'go test'; $(GO) test -shuffle=on -timeout 10m ./...
	@$(say) 'go test -race'; $(GO) test -race -shuffle=on -timeout 10m ./...

# What is too long for every change: the full sizes, and fuzzing.
test-full: export TRUNKLINE_FULL = 1
test-full: deps $(node-done) clients-full
	@$(say) 'go test -race, full sizes'; $(GO) test -race -count=1 -shuffle=on -timeout 2h ./...
	@$(MAKE) --no-print-directory fuzz

fuzz: ## every fuzz function for FUZZTIME
	@GO=$(GO) .ci/fuzz $(FUZZTIME)

lint:
	@GO=$(GO) .ci/lint

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# What forks cost, on the simulated provider: the page and its plot in docs. With
# UPSTREAM=URL (and MODEL, PROVIDER, SIZES, CHILDREN, SEED) on any other; to standard output
# then, or to the directory OUT.
bench-fork: build
	@$(GO) run ./e2e/benchfork -out=$(if $(UPSTREAM),$(OUT) -upstream=$(UPSTREAM),docs) \
		$(foreach s,MODEL PROVIDER SIZES CHILDREN SEED,$(if $($s),-$(shell echo $s | tr A-Z a-z)=$($s)))

demo:
	$(GO) run ./cmd/proxy demo

deps:
	@.ci/deps

# Real clients that the tests run: what cannot be installed here is named, and
# skipped by its test.
clients:
	@.ci/clients node
clients-full:
	@.ci/clients node cli python

$(node-done): %/node_modules/.installed: %/package-lock.json
	@$(say) 'npm ci in $*'; cd $* && npm ci --omit=optional --ignore-scripts --no-audit --no-fund && touch node_modules/.installed
