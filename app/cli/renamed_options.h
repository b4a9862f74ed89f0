#pragma once

#include <span>
#include <string>
#include <vector>

namespace snapviewer {

/// An option or a command that has another name now. The old one works on until the next major version, and stderr says what
/// to write in its place; docs/compatibility.md promises this.
struct RenamedOption {
    const char* command;   ///< whose option it is; empty: of every command, or a command itself
    const char* old_name;  ///< "--write", or "fleets" for a command
    const char* new_name;
    const char* since;  ///< the version that renamed it: "1.2"
};

/// All of them.
std::span<const RenamedOption> renamed_options();

/// Puts the new names in the place of old ones, in "--old VALUE" and "--old=VALUE", up to a word "--". Gives a sentence for
/// each.
std::vector<std::string> use_new_names(std::vector<std::string>& words, std::span<const RenamedOption> renamed);

}  // namespace snapviewer
