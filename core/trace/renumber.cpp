#include "core/trace/renumber.h"

#include <utility>
#include <vector>

namespace snapviewer {
namespace {

class Renumbering {
public:
    explicit Renumbering(const StackTable& old)
        : old_(old), new_stacks_(old.stack_count()), new_frames_(old.frame_count()) {}

    void see(StackId& stack) {
        if (!stack.is_some()) return;
        StackId& known = new_stacks_[stack.value];
        if (!known.is_some()) known = add(stack);
        stack = known;
    }

    StackTable take() { return std::move(table_); }

private:
    StackId add(StackId stack) {
        frames_.clear();
        for (const FrameId frame : old_.stack(stack)) {
            FrameId& known = new_frames_[frame.value];
            if (!known.is_some()) known = table_.intern_frame(old_.frame(frame));
            frames_.push_back(known);
        }
        return table_.intern_stack(frames_);
    }

    const StackTable& old_;
    StackTable table_;
    std::vector<StackId> new_stacks_;
    std::vector<FrameId> new_frames_;
    std::vector<FrameId> frames_;
};

}  // namespace

void renumber_stacks(Snapshot& snapshot) {
    Renumbering numbers(snapshot.stacks);
    for (Segment& segment : snapshot.segments) {
        numbers.see(segment.stack);
        for (std::uint32_t i = 0; i < segment.block_count; ++i) numbers.see(snapshot.blocks[segment.first_block + i].stack);
    }
    for (DeviceTrace& trace : snapshot.devices) {
        for (StackId& stack : trace.events.stack) numbers.see(stack);
    }
    snapshot.stacks = numbers.take();
}

}  // namespace snapviewer
