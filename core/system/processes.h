#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace snapviewer {

/// The path of this program's executable file, or empty if it is unknown.
std::filesystem::path own_program();

/// The arguments of main() in UTF-8, without the name of the program.
std::vector<std::string> words_of_main(int argc, char** argv);

/// Sets an environment variable if it is not set. Call before other threads read it.
void set_variable(const char* name, const char* value);

/// After this call, commands that this program starts end when it ends. Call before other threads start. The thread that
/// starts a command must wait for its end. Linux and Windows; no-op elsewhere.
void have_commands_end_with_this_program();
/// Ends this process when its parent ends, if the parent has called have_commands_end_with_this_program(). Every command
/// calls it first.
void end_with_parent();

/// Starts a program, found along PATH and without a shell. It has its own session, so that it survives this process. Returns
/// its process id, or nullopt if the start `failed`.
std::optional<std::intptr_t> start_program(const std::vector<std::string>& words, std::error_code& failed);
/// True if a program that start_program() started has ended. After that, its process id may belong to another process.
bool has_ended(std::intptr_t program);

}  // namespace snapviewer
