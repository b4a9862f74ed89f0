#!/usr/bin/env bash
# Makes all files of a release from a commit: packages, sources, documentation, SHA256SUMS, bill of materials and licences.
#   scripts/release.sh [--only PART,PART] OUT
# The parts are listed below. The first run takes more than an hour on two cores, and needs Debian 12. Equal commits give equal files,
# with the exceptions in docs/packaging.md.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
scripts=$root/scripts

# part: its files
parts=$(sed '/^$/d' <<'LIST'
source:         the sources
page:           the program for browsers, which the packages below hold as well
deb:            Debian's package, for this machine's processor
deb-arm64:      the same for arm64
wheel:          the wheel for systems as new as this one
wheel-portable: the wheel for glibc 2.17 and newer, x86-64
wheel-aarch64:  the same for aarch64
windows:        zip, installer and wheel
site:           the documentation
LIST
)

make_source() {
    # git's short commit names have a length that depends on the clone.
    git -C "$root" -c core.abbrev=12 archive --format=tar --prefix="$name/" HEAD | gzip --no-name --best >"$out/$name.tar.gz"
}
make_deb() { "$scripts/deb.sh" "$out"; }
make_deb-arm64() { "$scripts/deb.sh" --arch arm64 "$out"; }
make_wheel() { "$scripts/wheel.sh" "$out"; }
make_wheel-portable() { "$scripts/wheel.sh" --portable "$out"; }
make_wheel-aarch64() { "$scripts/wheel.sh" --portable --arch aarch64 "$out"; }
make_windows() { "$scripts/windows.sh" "$out"; }
make_page() {
    "$scripts/web.sh" "$root/build/page"
    pack_folder "$root/build/page" "$name-page"
}
make_site() {
    "$scripts/site.sh"
    pack_folder "$root/build/site" "$name-docs"
}

# Packs a folder into OUT/NAME.tar.gz, with an order, times and owners that do not depend on the machine.
pack_folder() {
    tar --create --directory "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX \
        --transform "s,^[.],$2," . | gzip --no-name --best >"$out/$2.tar.gz"
}

fail() {
    echo "release: $1" >&2
    exit 2
}

wanted=$(sed 's/:.*//' <<<"$parts")
if [ "${1:-}" = --only ]; then
    [ $# -ge 2 ] || fail "--only needs the names of parts"
    for part in ${2//,/ }; do
        grep -qx -- "$part" <<<"$wanted" || fail "there is no part '$part'; they are: $(tr '\n' ' ' <<<"$wanted")"
    done
    wanted=${2//,/ }
    shift 2
fi
[ $# -eq 1 ] && [[ $1 != -* ]] || fail "usage: scripts/release.sh [--only PART,PART] OUT"
[ -z "$(git -C "$root" status --porcelain)" ] || fail "there are changes that no commit has; a release is made of a commit"

mkdir -p "$1"
out=$(realpath -- "$1")
version=$(sed -n 's/^project(snapviewer VERSION \(\S*\).*/\1/p' "$root/CMakeLists.txt")
name=snapviewer-$version
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC
for part in $wanted; do
    echo "release: $(sed -n "s/^$part: */$part: /p" <<<"$parts")"
    "make_$part" >"$out/$part.log" 2>&1 || { tail -n 20 "$out/$part.log" >&2; fail "$part could not be made; all it said is in $out/$part.log"; }
    rm "$out/$part.log"
done
"$root/packaging/sbom.py" "$out" "$version" "$(git -C "$root" rev-parse HEAD)"
(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs -d '\n' sha256sum >SHA256SUMS)
ls -l "$out"
