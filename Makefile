# Everything here works without a network once the Go modules are at hand
# (go mod download; make lint once).

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
FUZZTIME ?= 60s
# The packages that run goroutines over shared data.
RACE     ?= ./nn/... ./taggers/... ./experiments/... ./deid/...

# The linter is fetched once; the first proxy is the module cache itself, since
# "go run module@version" asks a proxy even for what is already here.
GOLANGCI := GOPROXY="file://$$(go env GOMODCACHE)/cache/download,$$(go env GOPROXY)" \
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: build test lint race fuzz demo site models bench golden

build: # the program, static: ./lethe
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o lethe ./cmd/lethe

test: # the second line: what processors without AVX run
	go test -timeout 30m ./...
	LETHE_KERNEL=generic go test -count=1 ./nn

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	$(GOLANGCI) run ./...

race: # needs a C compiler: Go's race detector is the only thing here that does
	CGO_ENABLED=1 go test -race -timeout 30m $(RACE)

fuzz: # every fuzz target for FUZZTIME
	scripts/fuzz.sh $(FUZZTIME)

demo: build # generate a corpus, train, score, de-identify: a few minutes
	scripts/demo.sh

site: build # the documentation with a search and a reference, to be read from the disk: site/index.html
	go run ./scripts/site --program ./lethe --output site

models: # make checkpoints/en and checkpoints/es from nothing: about ten hours; see docs/models.md
	scripts/models/make.sh models-out

bench:
	go test -run '^$$' -bench . ./...

golden: # refresh the expected outputs; then read the diff
	UPDATE_GOLDEN=1 go test ./...
	git --no-pager diff --stat
