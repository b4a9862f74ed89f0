#include "core/trace/stack_table.h"

#include <nlohmann/json.hpp>

#include <optional>

#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

StringId StringPool::intern(std::string_view text) {
    const auto text_of = [this](std::uint32_t id) { return view(StringId{id}); };
    const StringId id{ids_.find_or_add(text, text_of, ends_.size())};
    if (id.value == ends_.size()) {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        ends_.push_back(bytes_.size());
    }
    return id;
}

StringId StringPool::find(std::string_view text) const {
    return StringId{ids_.find(text, [this](std::uint32_t id) { return view(StringId{id}); })};
}

std::size_t StringPool::memory_bytes() const {
    return bytes_.capacity() + ends_.capacity() * sizeof(ends_[0]) + ids_.memory_bytes();
}

std::uint32_t frame_line(std::uint64_t written) {
    if (written == ~std::uint64_t{0}) return k_line_minus_one;
    return written <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())
               ? static_cast<std::uint32_t>(written)
               : 0;
}

FrameId StackTable::intern_frame(const Frame& frame) {
    const auto key_of = [this](std::uint32_t id) { return key_bytes(&frames_[id], 1); };
    const FrameId id{frame_ids_.find_or_add(key_bytes(&frame, 1), key_of, frames_.size())};
    if (id.value == frames_.size()) frames_.push_back(frame);
    return id;
}

std::span<const FrameId> StackTable::stack(StackId id) const {
    if (id.value >= stack_ends_.size()) return {};
    const auto begin = static_cast<std::size_t>(id.value == 0 ? 0 : stack_ends_[id.value - 1]);
    return {stack_frames_.data() + begin, static_cast<std::size_t>(stack_ends_[id.value]) - begin};
}

StackId StackTable::intern_stack(std::span<const FrameId> frames) {
    const auto key_of = [this](std::uint32_t id) {
        const std::span<const FrameId> known = stack(StackId{id});
        return key_bytes(known.data(), known.size());
    };
    const StackId id{stack_ids_.find_or_add(key_bytes(frames.data(), frames.size()), key_of, stack_ends_.size())};
    if (id.value == stack_ends_.size()) {
        stack_frames_.insert(stack_frames_.end(), frames.begin(), frames.end());
        stack_ends_.push_back(stack_frames_.size());
    }
    return id;
}

std::size_t StackTable::memory_bytes() const {
    return frames_.capacity() * sizeof(Frame) + stack_frames_.capacity() * sizeof(FrameId) +
           stack_ends_.capacity() * sizeof(std::uint64_t) + frame_ids_.memory_bytes() + stack_ids_.memory_bytes();
}

std::string frame_text(const StringPool& strings, const Frame& frame) {
    const std::string function = shortened(strings.view(frame.function), limits::k_max_frame_bytes);
    if (frame.line == 0 && strings.view(frame.file).empty()) return function;
    std::string text = shortened(strings.view(frame.file), limits::k_max_frame_bytes);
    text += ':';
    text += std::to_string(frame.written_line());
    text += ':';
    text += function;
    return text;
}

std::string stack_text(const StringPool& strings, const StackTable& stacks, StackId stack) {
    std::string text;
    const std::span<const FrameId> frames = stacks.stack(stack);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (!text.empty()) text += '\n';
        if (i == limits::k_max_path_frames || text.size() > limits::k_max_stack_bytes)
            return text + more_frames(frames.size() - i);
        text += frame_text(strings, stacks.frame(frames[i]));
    }
    return text;
}

std::vector<std::uint64_t> stack_fingerprints(const StringPool& strings, const StackTable& stacks) {
    std::vector<std::optional<std::uint64_t>> hashes(strings.size());
    const auto hash_of = [&](StringId id) {
        const std::string_view text = strings.view(id);
        if (text.empty()) return hash_bytes(text.data(), 0);
        std::optional<std::uint64_t>& hash = hashes[id.value];
        if (!hash) hash = hash_bytes(text.data(), text.size());
        return *hash;
    };
    std::vector<std::uint64_t> of_frames;
    for (std::uint32_t i = 0; i < stacks.frame_count(); ++i) {
        const Frame& frame = stacks.frame(FrameId{i});
        of_frames.push_back(hash_of(frame.file) ^ mix_bits(hash_of(frame.function) + frame.line));
    }
    std::vector<std::uint64_t> fingerprints;
    for (std::uint32_t i = 0; i < stacks.stack_count(); ++i) {
        check_stop();
        std::uint64_t fingerprint = 0;
        for (const FrameId frame : stacks.stack(StackId{i})) fingerprint = mix_bits(fingerprint ^ of_frames[frame.value]);
        fingerprints.push_back(fingerprint);
    }
    return fingerprints;
}

namespace {

struct TracedLine {
    std::string_view file;
    std::string_view function;  ///< name of the function; empty if the line has none
    std::uint32_t line = 0;
};

/// Parses the part of a line of a traceback after 'File "': 'net.py", line 12, in forward'.
std::optional<TracedLine> parse_traceback_line(std::string_view text) {
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
        const auto traced = parse_traceback_line(trace.substr(at + k_file.size()));
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
