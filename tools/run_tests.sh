#!/usr/bin/env bash
# Runs cargo test with the given arguments, then prints its ten slowest tests, how many there were, and the time.
# A test program tells the time of each test only when asked for something unstable; the runner asks for it without
# building anything in another way.
set -uo pipefail
cargo=${CARGO:-cargo}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
host=$(rustc -vV | sed -n 's/^host: //p')
variable=CARGO_TARGET_$(echo "$host" | tr 'a-z-' 'A-Z_')_RUNNER
started=$SECONDS
"$cargo" test "$@" --tests --no-run || exit 1
built=$SECONDS
# Doc tests are compiled by the runner's own means: they run apart.
env "$variable=env RUSTC_BOOTSTRAP=1" "$cargo" test --no-fail-fast "$@" --tests -- \
  -Zunstable-options --report-time 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
"$cargo" test "$@" --doc 2>&1 | tee -a "$log"
documented=${PIPESTATUS[0]}
ended=$SECONDS
echo
echo "the ten slowest tests:"
sed -n 's/^test \(.*\) \.\.\. \(ok\|FAILED\) <\([0-9.]*\)s>$/\3 \1/p' "$log" | sort -rn | head -10 |
  while read -r seconds name; do printf '%9.1f s  %s\n' "$seconds" "$name"; done
awk -v built=$((built - started)) -v ran=$((ended - built)) '
  /^test result:/ { passed += $4; failed += $6; skipped += $8 }
  END { printf "%d passed, %d failed, %d skipped; built in %d s, ran in %d s\n", passed, failed, skipped, built, ran }
' "$log"
[ "$status" = 0 ] && [ "$documented" = 0 ]
