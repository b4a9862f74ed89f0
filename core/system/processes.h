#pragma once

#include <filesystem>
#include <string>

namespace snapviewer {

/// The path of this program itself, or empty where the system does not say.
std::filesystem::path own_program();

/// A variable of the environment of this process, where it is not set yet. Before other threads read it.
void set_variable(const char* name, const char* value);

/// Digits and hyphens that tell this run of the machine from its earlier ones and from other machines; empty where the
/// system does not say.
std::string boot_id();

}  // namespace snapviewer
