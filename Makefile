# make test   everything that must hold, from a clean clone
# make test-long   what takes minutes: kills and little memory with a large collection
# make web    rebuilds what report.html runs in a browser (web/dist), with Node
# make run    the first command of the README
# make bench   the comparison with what people use instead; installs it from PyPI, about 20 minutes
# make methods-table   every method on two real collections: precision, recall, time; README and docs/map.md
# make bench-find, bench-giant, bench-bounded, bench-formats, bench-signatures, bench-passages, bench-study   speed,
#   with answers checked; see bench/README.md
# make reproduce-mit   tables and figures of docs/reproduce/mit.md, from Reuters-21578
# make reproduce-ye, reproduce-waterloo   sampling: figures of docs/reproduce/ye.md, tables of waterloo.md
# make bench-trec   speed of trec on 100 runs and 500,000 groups, with answers checked
# make reproduce-waterloo-trec   tables of docs/reproduce/waterloo-trec.md
# make reproduce-pdc-mr   tables and figures of docs/reproduce/pdc-mr.md; about 15 minutes

CARGO ?= cargo

.PHONY: test test-long test-web web run tools web-tools format lint docs bench bench-quick bench-find \
  bench-giant bench-bounded bench-formats bench-signatures bench-passages bench-study bench-trec \
  reproduce-mit reproduce-pdc-mr reproduce-ye reproduce-waterloo reproduce-waterloo-trec \
  methods-table update

test: tools format lint docs
	$(MAKE) --no-print-directory $(PYTHON_VENV)/installed
	NEARDUPE_PYTHON=$(abspath $(PYTHON_VENV))/bin/python CARGO=$(CARGO) tools/run_tests.sh --workspace
	@$(MAKE) --no-print-directory test-web

# The Python of the tests: docs/features.py, the definition of features, needs XXH3.
PYTHON_VENV = target/python
$(PYTHON_VENV)/installed:
	python3 -m venv $(PYTHON_VENV)
	$(PYTHON_VENV)/bin/pip install -q xxhash==3.5.0
	touch $@

# Pages in a real browser, and that web/dist is what web/ builds. Needs Node 20 and Chromium; where
# they or the packages are not to be had it says so and goes on, but with NEARDUPE_BROWSER=required it
# fails. `npm ci` is not used: it refuses a lock file that was made where only one platform is served.
CHROMIUM ?= chromium
PROGRAM = $(abspath $(or $(CARGO_TARGET_DIR),target))/debug/neardupe

test-web:
	@[ -x $(PROGRAM) ] || $(CARGO) build --workspace
	@if $(MAKE) --no-print-directory web-tools && (cd web && npm install --no-save --silent); then \
	  cd web && npm run --silent build -- --outDir ../target/web-dist --logLevel warn \
	  && diff -r dist ../target/web-dist \
	  && CHROMIUM=$$(command -v $(CHROMIUM)) NEARDUPE_BINARY=$(PROGRAM) npm test --silent; \
	elif [ "$$NEARDUPE_BROWSER" = required ]; then exit 1; \
	else echo "SKIPPED: browser tests, because Node 20, its packages or Chromium cannot be had"; fi

web: web-tools
	cd web && npm install --no-save --silent && npm run --silent build

# With the program as released.
test-long: tools
	$(CARGO) build --release
	NEARDUPE_BINARY=$${CARGO_TARGET_DIR:-target}/release/neardupe $(CARGO) test -p neardupe-cli \
	  --test it bounded:: -- --ignored --nocapture --test-threads 1

run:
	$(CARGO) run --release -- find examples/pages

# The toolchain is pinned in rust-toolchain.toml. Nothing else is needed but a C compiler.
tools:
	@command -v $(CARGO) >/dev/null || { \
	  echo "cargo is missing: install Rust (rustup) and run make again"; exit 1; }
	@command -v cc >/dev/null || { \
	  echo "a C compiler is missing; trying to install one"; \
	  apt-get update -q && apt-get install -y -q gcc libc6-dev; }

NODE_IS_NEW = command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'
web-tools:
	@if ! { $(NODE_IS_NEW) && command -v $(CHROMIUM) >/dev/null; }; then \
	  echo "Node 20 or Chromium is missing; trying to install them"; \
	  packages=chromium; command -v npm >/dev/null || packages="chromium nodejs npm"; \
	  apt-get update -q >/dev/null && apt-get install -y -q $$packages >/dev/null; \
	  $(NODE_IS_NEW) && command -v $(CHROMIUM) >/dev/null; fi

format:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# What people use instead, each from PyPI at a fixed version, in an environment of its own. One that
# does not install is told in the table.
PEERS_VENV = bench/work/venv
$(PEERS_VENV)/installed: bench/peers/requirements.txt
	python3 -m venv $(PEERS_VENV)
	$(PEERS_VENV)/bin/pip install -q -r $< || grep -v '^#' $< | while read -r package; do \
	  $(PEERS_VENV)/bin/pip install -q "$$package" -c $< </dev/null || echo "$$package does not install"; done
	touch $@

BENCH_PEERS = python3 bench/peers.py --binary target/release/neardupe
bench: $(PEERS_VENV)/installed
	$(CARGO) build --release
	$(BENCH_PEERS) --record bench/record/peers.md --readme README.md

bench-quick: $(PEERS_VENV)/installed
	$(CARGO) build --release
	$(BENCH_PEERS) --quick

bench-find:
	$(CARGO) build --release
	python3 bench/find.py --binary target/release/neardupe --record bench/record/find.md

bench-giant:
	$(CARGO) build --release
	python3 bench/giant.py --binary target/release/neardupe --record bench/record/giant.md

bench-bounded:
	$(CARGO) build --release
	python3 bench/bounded.py --binary target/release/neardupe --record bench/record/bounded.md

bench-formats:
	RECORD=$(CURDIR)/bench/record/formats.md $(CARGO) bench -p neardupe-twins --bench formats

bench-signatures:
	$(CARGO) build --release
	$(CARGO) build --release -p neardupe-io --example hamming
	python3 bench/signatures.py --binary target/release/neardupe --record bench/record/signatures.md

bench-passages:
	$(CARGO) build --release
	python3 bench/passages.py --binary target/release/neardupe --record bench/record/passages.md

bench-study:
	$(CARGO) build --release
	python3 bench/study.py --binary target/release/neardupe --record bench/record/study.md

# Both need ../shared/data (or NEARDUPE_DATA).
reproduce-ye reproduce-waterloo:
	$(CARGO) build --release
	python3 bench/reproduce_sampling.py $(@:reproduce-%=%) --binary target/release/neardupe

bench-trec:
	$(CARGO) build --release
	python3 bench/trec.py --binary $${CARGO_TARGET_DIR:-target}/release/neardupe --record bench/record/trec.md

# Needs ../shared/data/trec-web (or NEARDUPE_DATA): the runs are not ours to give away.
reproduce-waterloo-trec:
	$(CARGO) build --release
	python3 bench/reproduce_waterloo_trec.py --binary $${CARGO_TARGET_DIR:-target}/release/neardupe \
	  --out docs/reproduce/waterloo-trec.md

# Reuters-21578 is for research only and not part of this project: say where it is.
REUTERS ?= ../shared/data/reuters21578
reproduce-mit:
	@[ -e $(REUTERS)/reut2-000.sgm -o -e $(REUTERS)/reut2-000.sgm.gz ] || { \
	  echo "no reut2-000.sgm in $(REUTERS); run make reproduce-mit REUTERS=FOLDER"; exit 1; }
	$(CARGO) run --release -p neardupe-io --example mit -- $(REUTERS) docs/reproduce

# Needs ../shared/data (or NEARDUPE_DATA). PDC_MR="--only timing" runs one part and takes the others as they were.
reproduce-pdc-mr:
	$(CARGO) build --release
	python3 bench/reproduce_pdc_mr.py --binary $${CARGO_TARGET_DIR:-target}/release/neardupe \
	  --out docs/reproduce/pdc-mr.md $(PDC_MR)

# Needs ../shared/data (or NEARDUPE_DATA): the collections are not ours to give away. The program has its
# figures built in, so what is made of them is written after it was built again.
methods-table:
	$(CARGO) build --release
	python3 bench/methods.py --binary $${CARGO_TARGET_DIR:-target}/release/neardupe \
	  --record bench/record/methods.md \
	  --figures crates/neardupe-jobs/src/kind/methods/measured.json
	UPDATE_DOCS=1 UPDATE_CASES=1 $(CARGO) test -p neardupe-cli methods

# Rewrites what tests generate: README tables, quality references, program cases.
update:
	UPDATE_DOCS=1 UPDATE_REFERENCE=1 UPDATE_CASES=1 $(CARGO) test --workspace
