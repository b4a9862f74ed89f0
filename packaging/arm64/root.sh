#!/usr/bin/env bash
# Makes the root folder against which the preset arm64 compiles and runs its tests: Debian's arm64 packages with their dependencies,
# from the mirror that this machine uses. Needs no root privileges and changes nothing outside of the folder.
#   packaging/arm64/root.sh FOLDER      into FOLDER/root; does nothing if that is complete
set -euo pipefail
scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../scripts" && pwd)
mkdir -p "$1"/{lists,archives}/partial
folder=$(cd -- "$1" && pwd)
root=$folder/root
# The libraries that scripts/setup.sh lists, and the packages that programs linked with them need to run.
packages=$(sed -n "/<<'LIST'/,/^LIST/ s/^\(lib[^:]*\|zlib1g-dev\|nlohmann-json3-dev\|zip[^:]*\|fonts-[^:]*\):.*/\1/p" "$scripts/setup.sh")
packages="libc6-dev $packages"
done_mark=$folder/unpacked
if [ "$(cat "$done_mark" 2>/dev/null)" = "$packages" ]; then
    exit 0
fi

# apt with package lists of its own, as on an arm64 machine with nothing installed.
touch "$folder/status"
apt() {
    apt-get --quiet -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State::Lists=$folder/lists" -o "Dir::State::Status=$folder/status" \
        -o "Dir::Cache=$folder" -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1 "$@"
}
# note_package DEB: adds the package to a dpkg database for scripts/deb.sh. dpkg-shlibdeps reads there which package contains a
# library, and since which version it has a symbol.
note_package() {
    local control name part
    control=$(mktemp -d)
    dpkg-deb --control "$1" "$control"
    name=$(dpkg-deb --show --showformat '${Package}' "$1")
    sed '1a Status: install ok installed' "$control/control" >>"$database/status"
    echo >>"$database/status"
    dpkg-deb --fsys-tarfile "$1" | tar --list | sed -e "s#^[.]#$root#" -e 's#/$##' >"$database/info/$name.list"
    for part in shlibs symbols; do
        [ ! -e "$control/$part" ] || cp "$control/$part" "$database/info/$name.$part"
    done
    rm -r "$control"
}

apt update
rm -rf "$root"
apt install --download-only --yes --no-install-recommends $packages
database=$root/var/lib/dpkg
mkdir -p "$database/info"
printf '%s\n' "$(dpkg --print-architecture)" arm64 >"$database/arch"
for package in "$folder"/archives/*.deb; do
    dpkg-deb --extract "$package" "$root"
    note_package "$package"
    rm "$package"
done
# Makes absolute links point into the root.
find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
done
printf '%s' "$packages" >"$done_mark"
