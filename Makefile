# make test   everything that must hold, from a clean clone
# make test-long   what takes minutes: kills and little memory with a large collection
# make run    the first command of the README
# make bench-find, bench-giant, bench-bounded, bench-formats   speed, with answers checked; see bench/README.md

CARGO ?= cargo

.PHONY: test test-long run tools format lint docs bench-find bench-giant bench-bounded bench-formats update

test: tools format lint docs
	$(CARGO) test --workspace

# With the program as released.
test-long: tools
	$(CARGO) build --release
	NEARDUPE_BINARY=$${CARGO_TARGET_DIR:-target}/release/neardupe $(CARGO) test -p neardupe-cli \
	  --test bounded -- --ignored --nocapture --test-threads 1

run:
	$(CARGO) run --release -- find examples/pages

# The toolchain is pinned in rust-toolchain.toml. Nothing else is needed but a C compiler.
tools:
	@command -v $(CARGO) >/dev/null || { \
	  echo "cargo is missing: install Rust (rustup) and run make again"; exit 1; }
	@command -v cc >/dev/null || { \
	  echo "a C compiler is missing; trying to install one"; \
	  apt-get update -q && apt-get install -y -q gcc libc6-dev; }

format:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

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
	RECORD=$(CURDIR)/bench/record/formats.md $(CARGO) bench -p neardupe-io --bench formats

# Rewrites what tests generate: README tables, quality references, program cases.
update:
	UPDATE_DOCS=1 UPDATE_REFERENCE=1 UPDATE_CASES=1 $(CARGO) test --workspace
