#include "app/features/timeline/naming_task.h"

#include <unordered_map>
#include <utility>

#include "app/features/timeline/allocation_text.h"
#include "app/ui/sandboxed.h"
#include "core/base/number_text.h"
#include "core/mesh/colour_groups.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

/// Returns function and place of the line that represents a stack; both are empty if there is no such line.
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
    for (const RoomyBlock& block : roomy_blocks(timeline, *scene.device.mesh, scene.axis, scene.view, scene.wanted)) {
        const StackId stack = allocations.stack[block.id.value];
        const auto [words, is_new] = known.try_emplace(stack.value);
        if (is_new) words->second = words_for(timeline.snapshot(), stack);
        const std::string what = what_it_is(timeline, block.id);
        named.blocks.push_back({.block = block,
                                .name = what.empty() ? words->second.first : what,
                                .place = what.empty() ? words->second.second : "",
                                .size = format_bytes(allocations.size_bytes[block.id.value]),
                                .is_hatched = is_hatched(allocations.origin[block.id.value])});
    }
}

/// Adds the layers of a memory report: weights, gradients, activations, untracked. Each is all memory of that kind that one
/// iteration holds, with its bytes at the peak.
void add_layers(NamedBlocks& named) {
    const NamingScene& scene = named.scene;
    if (scene.device.timeline->snapshot().kind != FileKind::memory_report) return;
    const ColourGroups layers = colour_groups(*scene.device.timeline, ColourBy::category);
    RoomWanted wanted = scene.wanted;
    wanted.least_width_px = 0;  // a narrow layer gets its name beside it
    for (const RoomyBlock& block :
         roomy_blocks(*scene.device.timeline, *scene.device.mesh, scene.axis, scene.view, wanted, layers.group_of)) {
        const ColourGroup& layer = layers.groups[layers.group_of[block.id.value]];
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

Job<NamedBlocks>::Work make_naming_job(NamingScene scene) {
    return [scene = std::move(scene)](Progress&) {
        enter_sandbox_here({});
        return named_blocks(scene);
    };
}

}  // namespace snapviewer
