#include "core/trace/stack_table.h"

#include <algorithm>
#include <limits>

#include "core/base/answer_limits.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace snapviewer {

std::uint32_t frame_line(std::uint64_t written) {
    if (written == ~std::uint64_t{0}) return k_line_minus_one;
    return written <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())
               ? static_cast<std::uint32_t>(written)
               : 0;
}

std::size_t StackTable::frame_slot(const Frame& frame) const {
    const std::size_t mask = frame_slots_.size() - 1;
    const std::uint32_t key[] = {frame.file.value, frame.function.value, frame.line, frame.fx.value};
    std::size_t slot = hash_(key, sizeof(key)) & mask;
    while (frame_slots_[slot] != 0 && frames_[frame_slots_[slot] - 1] != frame) slot = (slot + 1) & mask;
    return slot;
}

FrameId StackTable::intern_frame(const Frame& frame) {
    if (frame_slots_.size() < 2 * (frames_.size() + 1)) {
        frame_slots_.assign(frame_slots_.empty() ? 64 : frame_slots_.size() * 2, 0);
        for (std::uint32_t index = 0; index < frames_.size(); ++index) frame_slots_[frame_slot(frames_[index])] = index + 1;
    }
    const std::size_t slot = frame_slot(frame);
    if (frame_slots_[slot] == 0) {
        frames_.push_back(frame);
        frame_slots_[slot] = static_cast<std::uint32_t>(frames_.size());
    }
    return FrameId{frame_slots_[slot] - 1};
}

std::span<const FrameId> StackTable::stack(StackId id) const {
    if (id.value >= stack_ends_.size()) return {};
    const auto begin = static_cast<std::size_t>(id.value == 0 ? 0 : stack_ends_[id.value - 1]);
    return {stack_frames_.data() + begin, static_cast<std::size_t>(stack_ends_[id.value]) - begin};
}

std::size_t StackTable::stack_slot(std::span<const FrameId> frames) const {
    const std::size_t mask = stack_slots_.size() - 1;
    std::size_t slot = hash_(frames.data(), frames.size_bytes()) & mask;
    while (stack_slots_[slot] != 0 && !std::ranges::equal(stack(StackId{stack_slots_[slot] - 1}), frames))
        slot = (slot + 1) & mask;
    return slot;
}

StackId StackTable::intern_stack(std::span<const FrameId> frames) {
    if (stack_slots_.size() < 2 * (stack_ends_.size() + 1)) {
        stack_slots_.assign(stack_slots_.empty() ? 64 : stack_slots_.size() * 2, 0);
        for (std::uint32_t index = 0; index < stack_ends_.size(); ++index) {
            stack_slots_[stack_slot(stack(StackId{index}))] = index + 1;
        }
    }
    const std::size_t slot = stack_slot(frames);
    if (stack_slots_[slot] == 0) {
        stack_frames_.insert(stack_frames_.end(), frames.begin(), frames.end());
        stack_ends_.push_back(stack_frames_.size());
        stack_slots_[slot] = static_cast<std::uint32_t>(stack_ends_.size());
    }
    return StackId{stack_slots_[slot] - 1};
}

std::size_t StackTable::memory_bytes() const {
    return frames_.capacity() * sizeof(Frame) + stack_frames_.capacity() * sizeof(FrameId) +
           stack_ends_.capacity() * sizeof(std::uint64_t) +
           (frame_slots_.capacity() + stack_slots_.capacity()) * sizeof(std::uint32_t);
}

std::string frame_text(const StringPool& strings, const Frame& frame) {
    const std::string function = shortened(strings.view(frame.function), limits::k_most_frame_bytes);
    if (frame.line == 0 && strings.view(frame.file).empty()) return function;
    std::string text = shortened(strings.view(frame.file), limits::k_most_frame_bytes);
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
        if (i == limits::k_most_path_frames || text.size() > limits::k_most_stack_bytes)
            return text + more_frames(frames.size() - i);
        text += frame_text(strings, stacks.frame(frames[i]));
    }
    return text;
}

std::uint64_t stack_fingerprint(const StringPool& strings, const StackTable& stacks, StackId stack) {
    std::uint64_t fingerprint = 0;
    for (const FrameId id : stacks.stack(stack)) {
        const Frame& frame = stacks.frame(id);
        const std::string_view file = strings.view(frame.file);
        const std::string_view function = strings.view(frame.function);
        const std::uint64_t own =
            hash_bytes(file.data(), file.size()) ^ mix_bits(hash_bytes(function.data(), function.size()) + frame.line);
        fingerprint = mix_bits(fingerprint ^ own);
    }
    return fingerprint;
}

}  // namespace snapviewer
