#pragma once

#include <span>
#include <string>
#include <vector>

namespace snapviewer {

/// An option or a command that has been renamed. The old name works until the next major version, and stderr shows the new
/// one; docs/compatibility.md promises this.
struct RenamedOption {
    const char* command;   ///< Command of the option; empty for an option of every command, and for a command itself
    const char* old_name;  ///< Old name: "--write", or "fleets" for a command
    const char* new_name;
    const char* since;  ///< Version that renamed it, such as "1.2"
};

/// Returns all renamed options and commands.
std::span<const RenamedOption> renamed_options();

/// Replaces old names with new ones, in "--old VALUE" and "--old=VALUE", up to the word "--". Returns one sentence per
/// replacement.
std::vector<std::string> use_new_names(std::vector<std::string>& words, std::span<const RenamedOption> renamed);

}  // namespace snapviewer
