#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

/// Standard input and output. Errors are returned as error codes.
namespace snapviewer {

/// Makes the standard streams binary and the console UTF-8. Call once, before the streams are used.
void prepare_console();

bool is_input_terminal();
bool is_output_terminal();

/// The size of standard input if it is a file, else 0.
std::uint64_t size_of_input_bytes();

/// Reads the next bytes of standard input and returns their number, which may be less than room.size(). 0 at its end or if
/// the call `failed`. nullopt if nothing came within `time`.
std::optional<std::size_t> read_input(std::span<char> room, std::chrono::milliseconds time, std::error_code& failed);

}  // namespace snapviewer
