#!/bin/sh
# Kills the application and returns; the suite starts it again, which takes a second.
kill -9 "$(curl -sf "http://127.0.0.1:$1/pid")"
