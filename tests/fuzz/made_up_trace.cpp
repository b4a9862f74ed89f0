#include "tests/fuzz/made_up_trace.h"

#include "tests/unit/trace_builder.h"

namespace snapviewer::fuzz {
namespace {

constexpr std::size_t k_max_events = 400;

}  // namespace

std::shared_ptr<Snapshot> made_up_snapshot(ByteFeed& feed) {
    constexpr Action k_actions[] = {Action::alloc,
                                    Action::alloc,
                                    Action::free_requested,
                                    Action::free_completed,
                                    Action::free_completed,
                                    Action::segment_alloc,
                                    Action::segment_free,
                                    Action::segment_map,
                                    Action::segment_unmap,
                                    Action::snapshot,
                                    Action::oom};
    test::TraceBuilder trace;
    const std::size_t segments = feed.byte() % 4;
    for (std::size_t i = 0; i < segments; ++i) {
        std::vector<std::pair<std::uint64_t, BlockState>> blocks(feed.byte() % 5);
        for (auto& [size_bytes, state] : blocks) {
            size_bytes = 512 * (1U + feed.byte());
            state = static_cast<BlockState>(feed.byte() % 3);
        }
        trace.segment(0x10000 * (1 + i), blocks);
        trace.raw().segments.back().pool = feed.byte() % 2 == 0 ? std::uint16_t{0} : k_no_pool;
    }
    trace.raw().pools = {{1, 2}};
    for (std::size_t events = 0; events < k_max_events && !feed.at_end(); ++events) {
        const Action action = k_actions[feed.byte() % std::size(k_actions)];
        trace.event(action, 0x1000ULL * feed.byte(), feed.number());
        if (const std::uint8_t time = feed.byte(); time > 200)
            trace.at_time(time > 250 ? k_no_time : std::int64_t{1} << (time - 200));
    }
    return std::make_shared<Snapshot>(std::move(trace.raw()));
}

}  // namespace snapviewer::fuzz
