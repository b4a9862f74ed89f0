#include "core/trace/fx_trace.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

struct TracedLine {
    std::string_view file;
    std::string_view function;  ///< name of the function; empty if the line has none
    std::uint32_t line = 0;
};

/// Parses the part of a line of a traceback after 'File "': 'net.py", line 12, in forward'.
std::optional<TracedLine> traced_line(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    constexpr std::string_view k_line = "\", line ";
    constexpr std::string_view k_function = ", in ";
    const std::size_t end_of_file = text.find(k_line);
    if (end_of_file == text.npos) return std::nullopt;
    TracedLine traced{text.substr(0, end_of_file), {}, 0};
    text.remove_prefix(end_of_file + k_line.size());
    const std::size_t digits = read_number(text, traced.line);
    if (digits == 0) return std::nullopt;
    text.remove_prefix(digits);
    if (text.starts_with(k_function)) traced.function = text.substr(k_function.size());
    return traced;
}

}  // namespace

void set_original_line(Frame& frame, StringPool& strings, std::string_view trace) {
    constexpr std::string_view k_file = "File \"";
    std::string_view before = trace;
    for (std::size_t at = before.rfind(k_file); at != before.npos; at = before.rfind(k_file)) {
        const auto traced = traced_line(trace.substr(at + k_file.size()));
        if (traced && is_own_file(traced->file)) {
            const std::string file(traced->file);
            const std::string function(traced->function);
            frame.original = {strings.intern(file), function.empty() ? StringId::none() : strings.intern(function),
                              frame_line(traced->line)};
            return;
        }
        before = trace.substr(0, at);
    }
}

void set_original_line_of_node(Frame& frame, StringPool& strings, std::string_view node_json) {
    const nlohmann::json node = parse_json(node_json);
    if (!node.is_object()) return;
    const auto trace = node.find("fx_original_trace");
    if (trace != node.end() && trace->is_string()) set_original_line(frame, strings, trace->get_ref<const std::string&>());
}

}  // namespace snapviewer
