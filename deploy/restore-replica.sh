#!/bin/sh
# restore-replica.sh <replica> <data folder>: puts a replica in place of a service that is lost, into an empty folder.
set -eu
[ $# -eq 2 ] || { echo "Usage: $0 <replica> <data folder>" >&2; exit 1; }
replica=$(realpath "$1")
data=$2
umask 077
mkdir -p "$data"
[ -z "$(ls -A "$data")" ] || { echo "$data is not empty" >&2; exit 1; }
copied=$(cat "$replica/copied-at")
newest=$(litestream generations "file://$replica/database" | awk 'NR > 1 { print $NF }' | sort | tail -n 1)
# The database is restored as of the last copy of the uploads, so that it names none that is not there.
if expr "$newest" '>=' "$copied" > /dev/null; then
  litestream restore -timestamp "$copied" -o "$data/cabinet.sqlite" "file://$replica/database"
else
  litestream restore -o "$data/cabinet.sqlite" "file://$replica/database"
fi
if [ -d "$replica/files" ]; then cp -R "$replica/files" "$data/files"; fi
find "$replica" -maxdepth 1 -type f ! -name 'copied-at*' ! -name '*.part' -exec cp {} "$data/" \;
echo "$data holds the cabinet as of $copied"
