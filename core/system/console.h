#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

/// Standard input and output.
namespace snapviewer {

/// From now on the standard streams carry bytes as they are, and UTF-8. Once, before they are used.
void prepare_console();

bool is_input_terminal();
bool is_output_terminal();

/// Of standard input where it is a file; 0 where nobody can say.
std::uint64_t size_of_input_bytes();

/// What standard input has next, as many bytes as there are room and bytes; 0 at its end or where it `failed`. None where
/// nothing came within the time.
std::optional<std::size_t> read_input(std::span<char> room, std::chrono::milliseconds time, std::error_code& failed);

}  // namespace snapviewer
