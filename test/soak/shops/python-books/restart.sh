#!/bin/sh
# Kills the application; the suite starts it again. Returns when the new process responds.
url="http://127.0.0.1:$1/health"
old=$(curl -s "$url") || exit 1
kill -9 "$old"
for _ in $(seq 100); do
  new=$(curl -s "$url") && [ "$new" != "$old" ] && exit 0
  sleep 0.1
done
exit 1
