# `make` lists the targets. Settings come from the environment: see README.md.

SHELL := bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Neither says anything about this repository.
export npm_config_fund := false
export npm_config_audit := false

# What the binaries are does not depend on the state of the working copy, which
# git may refuse to report to another user.
GO_BUILD := go build -buildvcs=false
TOOL := go tool -modfile=dev/tools/go.mod
STACK := bin/devstack exec --
# Tests lose nothing that they need when the machine crashes.
TEST_STACK := bin/devstack exec --volatile --
# The garbage collector takes a sixth of the time of many small processes; with more room it takes a third of that.
TEST_GC := env GOGC=300
# A hundred test binaries are linked in half the time when no debugger can read them.
GO_TEST := go test -json -ldflags=-w -timeout 60m
# Each stage keeps the times of its tests, for the slowest ones of all stages to be named.
TIMES := $(CURDIR)/.cache/times
KEEP_TIMES = go run -C $(CURDIR) ./test/slowest -o $(TIMES)/$@
# Where the servers of the demo company answer.
DEMO_COMPANY := 127.0.0.1:8099
TYPES := npm --prefix dev/tools run --silent types --

DEVSTACK_SOURCES := dev/stack/go.sum $(shell find dev/stack -name go.mod -o -name '*.go' ! -name '*_test.go')
ENGINE := sandbox/javascript/engine
SHELL_GUEST := sandbox/shell/embed/shell.wasm.gz
SHELL_SOURCES := $(wildcard sandbox/shell/guest/go.*) $(shell find sandbox/shell/guest sandbox/shell/build sandbox/fuel -name '*.go' ! -name '*_test.go')
WEB_SOURCES := $(shell find web/src web/public docs/images -type f 2>/dev/null) $(wildcard web/*.html web/*.ts web/*.mjs web/*.json)

.PHONY: help run demo build web test test-beside test-busy test-go test-servers test-devstack test-web test-clients e2e check check-types fuzz bench peers tour chaos upgrade attack image conformance generate clean chromium FORCE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## install what is missing, build, and run everything until Ctrl-C
	@exec bin/devstack up

demo: build ## the same with a small company in it: systems, checks and three weeks of history
	@exec env COUNTERSIGN_DATA=$(or $(COUNTERSIGN_DATA),.data/demo) COUNTERSIGN_DEMO_COMPANY=$(DEMO_COMPANY) \
		COUNTERSIGN_CHECK_EGRESS_ALLOW=127.0.0.1 COUNTERSIGN_EGRESS_ALLOW=$(DEMO_COMPANY) bin/devstack up

# Downloads, npm and the web app leave a processor free for the compilers.
build: ## build both binaries, the web app included
	@$(MAKE) -j4 bin/devstack bin/countersign

web: web/dist/index.html ## build the web app

test: ## run all tests, and say how long the stages and the slowest tests have taken
	@rm -rf $(TIMES); table=; for stage in build test-beside test-servers test-clients; do \
		begun=$$SECONDS; $(MAKE) $$stage; status=$$?; \
		table+=$$(printf '\n%7d s  %s' $$((SECONDS - begun)) $$stage); \
		test $$status = 0 || break; \
	done; \
	echo "== stages$$table"; \
	test ! -d $(TIMES) || { echo '== slowest tests'; go run ./test/slowest $(TIMES)/*; }; \
	test $$status = 0 && echo '== all tests have passed'

# The tests of the embedded stack wait for two thirds of their time, so others run beside them. The output of each comes as
# a whole when it has ended, and all end before a failed one fails this.
test-beside:
	@$(MAKE) -j3 --output-sync=target test-go test-devstack test-web

test-busy: ## run all tests three times beside four busy loops: make test-busy RUNS=3 LOOPS=4
	@dev/busy $(or $(RUNS),3) $(or $(LOOPS),4) $(MAKE) test

check: $(ENGINE)/dist/quickjs.wasm $(SHELL_GUEST) ## look for what a reviewer should not have to point out
	@echo '== gofmt'
	@unformatted=$$(find . -name '*.go' -not -path '*/node_modules/*' -exec gofmt -l {} +); \
		test -z "$$unformatted" || { echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	@echo '== golangci-lint'
	@$(TOOL) golangci-lint run
	@cd dev/stack && go tool -modfile=../tools/go.mod golangci-lint run
	@cd sandbox/shell && go run ./build -sources
	@lint=$$($(TOOL) -n golangci-lint); cd sandbox/shell/guest && GOOS=wasip1 GOARCH=wasm GOWORK=$(CURDIR)/.cache/shell/go.work \
		"$$lint" run --disable gocognit # most commands are one switch over their options
	@echo '== workflowcheck'
	@$(TOOL) workflowcheck ./workflows/...
	@echo '== sqlc'
	@$(TOOL) sqlc diff
	@echo '== subjects of new commits'
	@go test -count 1 ./test/commits
	@echo '== documentation index'
	@go run ./cmd/countersign docs-index --check
	@$(MAKE) check-types
	@$(MAKE) web/node_modules/.installed
	@echo '== web'
	@npm --prefix web run lint
	@$(MAKE) web
	@npm --prefix web run --silent budget
	@$(MAKE) test/e2e/node_modules/.installed
	@echo '== e2e'
	@npm --prefix test/e2e run lint

# Without the flag it takes a quarter of an hour to instrument the type checker, which the compiler of scripts runs in a
# child process anyway, where a fuzzer sees nothing of it.
fuzz: ## fuzz one target: make fuzz PACKAGE=./script TARGET=FuzzAnInputIsTakenOrRefused TIME=5m
	@test -n '$(PACKAGE)' -a -n '$(TARGET)' || { echo 'say which: make fuzz PACKAGE=./folder TARGET=FuzzName TIME=5m'; exit 1; }
	go test $(PACKAGE) -run '^$$' -fuzz '^$(TARGET)$$' -fuzztime $(or $(TIME),1m) -fuzzminimizetime 1s -gcflags 'github.com/microsoft/typescript-go/...=-d=libfuzzer=0'

bench: build ## measure turns, steps and latency against the floor; one part of it with ONLY=docs, ONLY=browser, ONLY=maintenances or ONLY=conversations
ifeq ($(ONLY),browser)
	@$(MAKE) chromium test/e2e/node_modules/.installed
	$(TEST_STACK) npm --prefix test/e2e run figures
else ifeq ($(ONLY),conversations)
	$(STACK) env COUNTERSIGN_CONVERSATIONS=all go test ./app/ -run 'TestLongConversations|TestATopicCheckKeepsTheOnlyCache' -count 1 -v
else ifeq ($(ONLY),maintenances)
	$(STACK) env COUNTERSIGN_MONTH_MAINTENANCES=1000 go test ./modules/maintenance/ -run TestEveryEdgeOfAMonth -count 1 -v
else
	$(STACK) go run ./test/bench $(if $(ONLY),-only $(ONLY)) $(if $(GATUS),-gatus $(GATUS)) $(if $(ALERTMANAGER),-alertmanager $(ALERTMANAGER))
endif

peers: test/bench/peers/node_modules/.installed test/bench/compilers/node_modules/.installed ## install what the sandbox is compared with in bench

e2e: build chromium test/e2e/node_modules/.installed ## run the journey of a person in a headless browser
	$(TEST_STACK) npm --prefix test/e2e run test:browser

tour: build chromium test/e2e/node_modules/.installed ## take the pictures of the documentation anew
	$(TEST_STACK) npm --prefix test/e2e run tour

chaos: build ## kill the processes at every step, let a hostile model loose, and check the invariants
	$(STACK) go run ./test/chaos
	go run ./test/chaos -checks -away $(or $(AWAY),60s)
	go run ./test/chaos -outages -away $(or $(AWAY),60s)
	$(STACK) env COUNTERSIGN_HOSTILE_CALLS=10000 go test ./app/ -run TestAHostileModelDoesNoHarm -count 1 -v

# What is embedded and not in the repository is that of this version.
upgrade: build ## replace the processes of an earlier commit by this one under load, in both orders: make upgrade FROM=HEAD~1
	@echo '== building $(or $(FROM),HEAD~1)'
	@rm -rf .cache/before && mkdir -p .cache/before
	@git archive $(or $(FROM),HEAD~1) | tar -x -C .cache/before
	@for folder in web/dist $(ENGINE)/dist $(dir $(SHELL_GUEST)); do for old in $$folder script/$$folder; do \
		test ! -d .cache/before/$$old || cp -R $$folder/. .cache/before/$$old/; done; done
	@cd .cache/before && $(GO_BUILD) -o ../countersign-before ./cmd/countersign
	@rm -rf .cache/before
	$(STACK) go run ./test/chaos -upgrade .cache/countersign-before

image: build ## build what the container image holds, as the Dockerfile does, and run scripts in it
	$(TEST_STACK) env COUNTERSIGN_TEST_IMAGE=1 go test ./test/image -count 1 -v

conformance: build chromium test/e2e/node_modules/.installed ## run the conformance suite of the Model Context Protocol, and clients that bring much with them
	npm --prefix test/mcp ci
	$(TEST_STACK) env COUNTERSIGN_TEST_CONFORMANCE=$(CURDIR)/test/mcp go test ./test/mcp -run 'TestConformance|TestTheInspector|TestStockServers' -count 1 -v
	npm --prefix test/e2e/copilotkit ci
	$(TEST_STACK) npm --prefix test/e2e run test:copilotkit

generate: ## write the generated code, types and documentation index anew
	$(TOOL) sqlc generate
	go generate ./...
	go run ./cmd/countersign docs-index
	@$(MAKE) dev/tools/node_modules/.installed
	go run ./cmd/countersign openapi | $(TYPES)

attack: build ## try to get around what people may do: every operation and every read as everybody, and all known tricks
	$(TEST_STACK) env COUNTERSIGN_ATTACK=long go test ./test/attack -count 1 -v

clean: ## remove what was built; packages and the state in .data stay
	rm -rf bin
	find web/dist $(ENGINE)/dist sandbox/shell/embed -mindepth 1 ! -name .gitkeep -delete

# The packages whose tests need servers are those that know storetest, which gives tests their databases. They are run
# each time, because the addresses of the servers are part of what go remembers. All others, and the work they do is the
# heavy one, are only run when something has changed that they read.
SERVERS := go list -test -f '{{$$p := .ForTest}}{{range .Deps}}{{$$p}} {{.}}{{"\n"}}{{end}}' ./... | awk 'NF > 1 && $$2 == "countersign/internal/store/storetest" { print $$1 }' | sort -u

test-go: $(TIMES) web $(ENGINE)/dist/quickjs.wasm $(SHELL_GUEST)
	@echo '== Go tests without servers'
	@servers=$$($(SERVERS)) && $(GO_TEST) $$(go list ./... | grep -vxF "$$servers") | $(KEEP_TIMES)

test-servers: $(TIMES) bin/devstack web $(ENGINE)/dist/quickjs.wasm $(SHELL_GUEST)
	@echo '== Go tests with PostgreSQL and Temporal'
	@servers=$$($(SERVERS)) && $(TEST_GC) $(TEST_STACK) $(GO_TEST) $$servers | $(KEEP_TIMES)

test-devstack: $(TIMES)
	@echo '== tests of the embedded stack'
	@cd dev/stack && $(GO_TEST) ./... | $(KEEP_TIMES)

# The web app is checked against the API by types that are made of what the API says about itself.
check-types: dev/tools/node_modules/.installed
	@echo '== types of the API'
	@go run ./cmd/countersign openapi | $(TYPES) --check

test-web: $(TIMES) web/node_modules/.installed check-types
	@echo '== tests of the web app'
	@npm --prefix web test -- --reporter=default --reporter=json --outputFile.json=$(TIMES)/$@

# Chromium is the one thing that may be impossible to install; what needs none of it is tested all the same.
test-clients: $(TIMES) build test/e2e/node_modules/.installed
	@echo '== tests with stock clients and a browser'
	@suite=test; $(MAKE) chromium || { echo '== no Chromium, so the tests with a browser are left out'; suite=test:clients; }; \
		COUNTERSIGN_TEST_TIMES=$(TIMES)/$@ $(TEST_GC) $(TEST_STACK) npm --prefix test/e2e run $$suite

$(TIMES):
	@mkdir -p $@

# Go decides by itself what there is to compile.
bin/countersign: web $(ENGINE)/dist/quickjs.wasm $(SHELL_GUEST) FORCE
	@dev/compile countersign . $@ ./cmd/countersign

# -s -w saves 60 MB. There is no -trimpath, as it would compile every dependency
# once more.
bin/devstack: $(DEVSTACK_SOURCES)
	@dev/compile devstack dev/stack $(CURDIR)/$@ . -ldflags '-s -w'

web/dist/index.html: $(WEB_SOURCES) web/node_modules/.installed
	@echo '== building the web app'
	@npm --prefix web run build
	@touch web/dist/.gitkeep $@

# The JavaScript engine of the sandbox is embedded, after an optimizer has been over it. It is made of the very file that
# the source names, and has to become the very file that the source names.
$(ENGINE)/dist/quickjs.wasm: $(ENGINE)/optimize.mjs $(ENGINE)/source.sha256 $(ENGINE)/quickjs.sha256 $(ENGINE)/node_modules/.installed
	@echo '== optimizing the JavaScript engine'
	@cp $(ENGINE)/node_modules/quickjs-wasi/LICENSE $(ENGINE)/NOTICE $(@D)
	@node $(ENGINE)/optimize.mjs
	@touch $@

# The shell of the sandbox is a Go program of its own for WebAssembly.
$(SHELL_GUEST): $(SHELL_SOURCES)
	@echo '== building the shell of the sandbox'
	@cd sandbox/shell && go run ./build

# One stamp for each folder with npm packages.
%/node_modules/.installed: %/package.json %/package-lock.json
	@echo '== installing the npm packages of $*'
	@npm --prefix $* ci
	@touch $@

# The shell of Chromium needs less of the processors than the browser with windows, and not every system has a package of it.
chromium:
	@if command -v chromium-headless-shell chromium chromium-browser google-chrome >/dev/null; then exit 0; fi; \
	install() { echo "== installing $$1"; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$$1"; }; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
		apt-get update -qq && { install chromium-headless-shell || install chromium; }; \
	else \
		echo 'The browser tests need Chromium: install the package chromium and start again.'; exit 1; \
	fi
