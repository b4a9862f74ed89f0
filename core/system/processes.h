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

/// Makes the commands of this program that it starts later end when it ends. To be called before other threads start. The
/// thread that starts a command must wait for it. Linux and Windows; no-op elsewhere.
void have_commands_end_with_this_program();
/// Ends this process when its parent ends, if the parent has asked for that. To be called first by every command.
void end_with_parent();

/// Starts a program, found along PATH and without a shell. It has its own session, so that it survives this process. Returns
/// its process id, or nullopt if the start `failed`.
std::optional<std::intptr_t> start_program(const std::vector<std::string>& words, std::error_code& failed);
/// Whether such a program has ended. Once it has, its number may be another's.
bool has_ended(std::intptr_t program);

}  // namespace snapviewer
