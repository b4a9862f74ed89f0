#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace snapviewer {

/// The path of this program itself, or empty where the system does not say.
std::filesystem::path own_program();

/// The arguments of main() in UTF-8, without the name of the program.
std::vector<std::string> words_of_main(int argc, char** argv);

/// Sets an environment variable if it is not set. Call before other threads read it.
void set_variable(const char* name, const char* value);

/// From now on commands of this program that it starts end when it does. They call end_with_parent(). Before other threads
/// start; each command must be started by a thread that waits for it. Linux and Windows; no-op elsewhere.
void have_commands_end_with_this_program();
/// Called first by every command: ends this process when the one that started it ends and has asked for that.
void end_with_parent();

/// Starts a program, found along PATH and without a shell. It has its own session, so that it survives this process. Returns
/// its process id, or nullopt if the start `failed`.
std::optional<std::intptr_t> start_program(const std::vector<std::string>& words, std::error_code& failed);
/// Whether such a program has ended. Once it has, its number may be another's.
bool has_ended(std::intptr_t program);

}  // namespace snapviewer
