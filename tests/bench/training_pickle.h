#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/pickle_text.h"

namespace snapviewer::test {

/// A pickled snapshot of a simulated training run with about so many events, written the way Python writes one: every key
/// and frame once, then by reference. The same bytes on every run.
class TrainingPickle {
public:
    explicit TrainingPickle(std::size_t events) : wanted_events_(events) {
        for (int parameter = 0; parameter < 4 * k_layers; ++parameter) alloc(parameter % k_stacks);
        while (event_count_ < wanted_events_) step();
    }

    std::string bytes() const { return PickleText::snapshot_of(events_).bytes(); }

private:
    static constexpr int k_layers = 24;
    static constexpr int k_stacks = 200;
    static constexpr int k_depth = 30;

    struct Block {
        std::uint64_t address, size_bytes;
        int stack;
    };

    /// Forward: activations pile up, with short-lived ones between them. Backward: they go, the last one first.
    void step() {
        std::vector<Block> activations;
        for (int layer = 0; layer < k_layers; ++layer) {
            for (int i = 0; i < 4; ++i) {
                const Block scratch = alloc(layer * 8 + i);
                activations.push_back(alloc(layer * 8 + 4 + i));
                free(scratch);
            }
        }
        for (; !activations.empty(); activations.pop_back()) {
            const Block gradient = alloc(activations.back().stack);
            free(activations.back());
            free(gradient);
        }
    }

    Block alloc(int stack) {
        const std::uint64_t size_bytes = 512 * (1 + random_() % (1U << random_() % 12));
        const Block block{next_address_, size_bytes, stack};
        next_address_ += size_bytes;
        event("alloc", block);
        return block;
    }
    void free(const Block& block) {
        event("free_requested", block);
        event("free_completed", block);
    }

    void event(std::string_view action, const Block& block) {
        ++event_count_;
        time_us_ += 1 + random_() % 20;
        events_.dict();
        shared("action");
        shared(action);
        shared("addr");
        events_.number(block.address);
        shared("size");
        events_.number(block.size_bytes);
        shared("stream");
        events_.raw("K").byte(0);
        shared("time_us");
        events_.number(time_us_);
        shared("frames");
        events_.list();
        for (int depth = 0; depth < k_depth; ++depth) frame(depth < k_depth / 2 ? block.stack : 0, depth);
        events_.end_list().end_dict();
    }

    void frame(int stack, int depth) {
        const int id = stack * k_depth + depth;
        if (const auto known = frames_.find(id); known != frames_.end()) {
            fetch(known->second);
            return;
        }
        const std::string name = "function_" + std::to_string(id);
        events_.dict();
        shared("filename");
        shared("/home/me/model/layer_" + std::to_string(stack) + ".py");
        shared("line");
        events_.number(static_cast<std::uint64_t>(10 + depth));
        shared("name");
        shared(name);
        events_.end_dict();
        frames_[id] = remember();
    }

    void shared(std::string_view text) {
        if (const auto known = texts_.find(text); known != texts_.end()) {
            fetch(known->second);
            return;
        }
        events_.text(text);
        texts_.emplace(text, remember());
    }
    std::uint32_t remember() {
        events_.raw("r").little(memo_count_, 4);  // LONG_BINPUT
        return memo_count_++;
    }
    void fetch(std::uint32_t memo) { events_.raw("j").little(memo, 4); }  // LONG_BINGET

    std::size_t wanted_events_;
    std::size_t event_count_ = 0;
    std::mt19937 random_{1};
    std::uint64_t next_address_ = 0x7f00'0000'0000;
    std::uint64_t time_us_ = 1'700'000'000'000'000;
    PickleText events_;
    std::map<std::string, std::uint32_t, std::less<>> texts_;
    std::map<int, std::uint32_t> frames_;
    std::uint32_t memo_count_ = 0;
};

}  // namespace snapviewer::test
