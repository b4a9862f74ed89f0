#include "app/features/timeline/stack_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "app/features/timeline/allocation_text.h"
#include "core/base/budget.h"
#include "core/base/text.h"
#include "core/mesh/colours.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

/// Maximum number of source lines in a name.
constexpr int k_max_lines = 3;

bool has_frames(StackId stack) { return stack.is_some() && stack != k_before_recording; }

std::string line_name(const Snapshot& snapshot, FrameId frame) {
    const Frame naming = naming_frame(snapshot.stacks.frame(frame));
    if (!is_python_file(snapshot.strings.view(naming.file))) return line_source(snapshot, frame);
    const StackLine line = stack_line(snapshot, naming);
    return line.function.empty() ? line.place : line.place + " " + line.function;
}

/// A stack whose name may need more lines, and the position of its own line within its frames.
struct Unnamed {
    std::size_t row = 0;
    std::span<const FrameId> frames;  ///< frames of the stack, innermost first
    std::size_t own = 0;
};

/// Returns the frame `distance` callers outwards from the stack's own line (inwards if negative); none() beyond either end.
FrameId frame_at(const Unnamed& stack, std::ptrdiff_t distance) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(stack.own) + distance;
    if (at < 0 || at >= std::ssize(stack.frames)) return FrameId::none();
    return stack.frames[static_cast<std::size_t>(at)];
}

/// Maximum distance at which the frames of these stacks are compared, bounded by the maximum length of a path.
std::size_t max_distance_of(const std::vector<Unnamed>& alike, bool outwards) {
    std::size_t max_distance = 0;
    for (const Unnamed& each : alike)
        max_distance = std::max(max_distance, outwards ? each.frames.size() - 1 - each.own : each.own);
    return std::min(max_distance, limits::k_max_path_frames);
}

using Groups = std::unordered_map<std::uint32_t, std::vector<Unnamed>>;

Groups grouped(const std::vector<Unnamed>& alike, std::ptrdiff_t distance) {
    Groups groups;
    for (const Unnamed& each : alike) groups[frame_at(each, distance).value].push_back(each);
    return groups;
}

class Namer {
public:
    Namer(const Snapshot& snapshot, std::vector<std::string>& names) : snapshot_(snapshot), names_(names) {}

    /// Appends to equal names the next line, at `distance` or beyond, in which their stacks differ.
    void distinguish(const std::vector<Unnamed>& alike, bool outwards, std::size_t distance, int lines_left) {
        if (alike.size() < 2 || lines_left == 0) return;
        for (const std::size_t max_distance = max_distance_of(alike, outwards); distance <= max_distance; ++distance) {
            const auto signed_distance = static_cast<std::ptrdiff_t>(distance);
            const Groups groups = grouped(alike, outwards ? signed_distance : -signed_distance);
            if (groups.size() == 1) continue;
            for (const auto& [frame, group] : groups) {
                add(group, FrameId{frame}, outwards);
                distinguish(group, outwards, distance + 1, lines_left - 1);
            }
            return;
        }
        if (outwards) distinguish(alike, false, 1, lines_left);
    }

private:
    void add(const std::vector<Unnamed>& group, FrameId frame, bool outwards) {
        if (!frame.is_some()) return;
        const std::string line = (outwards ? " < " : " > ") + line_name(snapshot_, frame);
        for (const Unnamed& each : group) names_[each.row] += line;
    }

    const Snapshot& snapshot_;
    std::vector<std::string>& names_;
};

std::string name_by(const Timeline& timeline, StackId stack, FrameId own) {
    if (stack == k_before_recording) {
        const bool is_segment = timeline.trace().kind == ViewKind::segments;
        return is_segment ? "reserved before the recording" : "allocated before the recording";
    }
    return own.is_some() ? line_name(timeline.snapshot(), own) : "(no stack)";
}

}  // namespace

std::string stack_name(const Timeline& timeline, StackId stack) {
    return name_by(timeline, stack, own_line(timeline.snapshot(), stack));
}

std::vector<std::string> stack_names(const Timeline& timeline, std::span<const StackTotal> totals) {
    const Snapshot& snapshot = timeline.snapshot();
    std::vector<std::string> names;
    std::unordered_map<std::string, std::vector<Unnamed>> alike;
    OwnLines own_lines(snapshot);
    for (const StackTotal& total : totals) {
        const FrameId own_line = own_lines.of(total.stack);
        names.push_back(name_by(timeline, total.stack, own_line));
        if (!has_frames(total.stack)) continue;
        const std::span<const FrameId> frames = snapshot.stacks.stack(total.stack);
        const auto own = std::ranges::find(frames, own_line);
        if (own == frames.end()) continue;
        alike[names.back()].push_back({names.size() - 1, frames, static_cast<std::size_t>(own - frames.begin())});
    }
    Namer namer(snapshot, names);
    for (const auto& [name, stacks] : alike) namer.distinguish(stacks, true, 1, k_max_lines - 1);
    return names;
}

namespace {

/// Returns function and source line of the frame that represents a stack; both are empty if there is no such frame.
std::pair<std::string, std::string> words_for(const Snapshot& snapshot, StackId stack) {
    const FrameId frame = own_line(snapshot, stack);
    if (!frame.is_some()) return {};
    const StackLine line = stack_line(snapshot, naming_frame(snapshot.stacks.frame(frame)));
    if (!is_python_file(line.file)) return {line_source(snapshot, frame), ""};
    return {line.function, line.place};
}

void add_blocks(NamedBlocks& named) {
    const NamingScene& scene = named.scene;
    const Timeline& timeline = *scene.device.timeline;
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::unordered_map<std::uint32_t, std::pair<std::string, std::string>> known;
    for (const mesh::LabelRect& block :
         mesh::find_label_rects(timeline, *scene.device.mesh, scene.axis, scene.view, scene.wanted)) {
        const StackId stack = allocations.stack[block.id.value];
        const auto [words, is_new] = known.try_emplace(stack.value);
        if (is_new) words->second = words_for(timeline.snapshot(), stack);
        const std::string what = what_it_is(timeline, block.id);
        named.blocks.push_back({.block = block,
                                .name = what.empty() ? words->second.first : what,
                                .place = what.empty() ? words->second.second : "",
                                .size = format_bytes(allocations.size_bytes[block.id.value]),
                                .is_hatched = mesh::is_hatched(allocations.origin[block.id.value])});
    }
}

/// Adds the layers of a memory report: weights, gradients, activations, untracked. Each is all memory of that kind that one
/// iteration holds, with its bytes at the peak.
void add_layers(NamedBlocks& named) {
    const NamingScene& scene = named.scene;
    if (scene.device.timeline->snapshot().kind != FileKind::memory_report) return;
    const mesh::ColourGroups layers = mesh::colour_groups(*scene.device.timeline, mesh::ColourBy::category);
    mesh::LabelRectLimits wanted = scene.wanted;
    wanted.min_width_px = 0;  // a narrow layer gets its name beside it
    for (const mesh::LabelRect& block : mesh::find_label_rects(*scene.device.timeline, *scene.device.mesh, scene.axis,
                                                               scene.view, wanted, layers.group_of)) {
        const mesh::ColourGroup& layer = layers.groups[layers.group_of[block.id.value]];
        named.blocks.push_back(
            {.block = block, .name = layer.name, .place = "", .size = format_bytes(layer.bytes), .is_layer = true});
    }
}

}  // namespace

NamedBlocks named_layers(NamingScene scene) {
    NamedBlocks named{std::move(scene), {}};
    add_layers(named);
    return named;
}

NamedBlocks named_blocks(NamingScene scene) {
    NamedBlocks named = named_layers(std::move(scene));
    add_blocks(named);
    return named;
}

}  // namespace snapviewer
