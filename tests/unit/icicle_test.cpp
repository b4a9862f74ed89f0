#include "core/analysis/stacks/icicle.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

const IcicleTitle k_title{"any", "milliseconds", Unit::milliseconds};

IcicleEntry entry(std::uint32_t number, std::vector<SourceLine> frames, std::string label, double width,
                  IcicleGroup group = IcicleGroup::forward) {
    return {std::move(frames), std::move(label), width, group, number};
}

/// Describes every bar, level by level: "depth label [start, end)".
std::vector<std::string> describe(const stacks::Icicle& icicle) {
    std::vector<std::string> lines;
    for (const stacks::IcicleNode& node : icicle.nodes) {
        const auto number = [](double value) {
            std::string text = std::to_string(value);
            text.erase(text.find_last_not_of('0') + 1);
            if (text.back() == '.') text.pop_back();
            return text;
        };
        lines.push_back(std::to_string(node.depth) + " " + node.label + " [" + number(node.start) + ", " +
                        number(node.end()) + ")");
    }
    return lines;
}

/// Entries in which model.py:9 calls a.py:1 (mul, add) and b.py:2 (linear) twice, and model.py:10 calls the loss.
std::vector<IcicleEntry> two_calls() {
    const SourceLine model{"net/model.py", 9};
    const SourceLine a{"net/a.py", 1};
    const SourceLine b{"net/b.py", 2};
    return {entry(0, {model, a}, "mul", 1),
            entry(1, {model, a}, "add", 2),
            entry(2, {model, b}, "linear", 4),
            entry(3, {model, a}, "mul", 1),
            entry(4, {model, a}, "add", 2),
            entry(5, {model, b}, "linear", 4),
            entry(6, {{"net/model.py", 10}}, "loss", 0.5)};
}

TEST(Icicle, NeighboursShareTheFramesTheyHaveInCommon) {
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::in_order}, two_calls());
    EXPECT_EQ(describe(icicle),
              (std::vector<std::string>{"0 Forward [0, 14.5)", "1 model.py:9 [0, 14)", "1 model.py:10 [14, 14.5)",
                                        "2 a.py:1 [0, 3)", "2 b.py:2 [3, 7)", "2 a.py:1 [7, 10)", "2 b.py:2 [10, 14)",
                                        "2 loss [14, 14.5)", "3 mul [0, 1)", "3 add [1, 3)", "3 linear [3, 7)",
                                        "3 mul [7, 8)", "3 add [8, 10)", "3 linear [10, 14)"}));
    EXPECT_EQ(icicle.total, 14.5);
    EXPECT_EQ(icicle.depth_count(), 4);
    EXPECT_EQ(icicle.nodes[1].entry_count, 6);
    EXPECT_EQ(icicle.nodes[3].parent, 1);
    EXPECT_EQ(icicle.nodes[7].parent, 2);
    EXPECT_EQ(icicle.nodes[7].place, (SourceLine{"net/model.py", 10}));
}

TEST(Icicle, RepeatedCallsAreToldApartByTheirFirstChildComingBack) {
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::in_order_per_call}, two_calls());
    EXPECT_EQ(describe(icicle),
              (std::vector<std::string>{"0 Forward [0, 14.5)", "1 model.py:9 [0, 7)", "1 model.py:9 [7, 14)",
                                        "1 model.py:10 [14, 14.5)", "2 a.py:1 [0, 3)", "2 b.py:2 [3, 7)", "2 a.py:1 [7, 10)",
                                        "2 b.py:2 [10, 14)", "2 loss [14, 14.5)", "3 mul [0, 1)", "3 add [1, 3)",
                                        "3 linear [3, 7)", "3 mul [7, 8)", "3 add [8, 10)", "3 linear [10, 14)"}));
}

TEST(Icicle, TheSameOperationOverAndOverIsOneCall) {
    const SourceLine line{"m.py", 3};
    const std::vector<IcicleEntry> entries = {entry(0, {line}, "mul", 1), entry(1, {line}, "mul", 1),
                                              entry(2, {line}, "mul", 1)};
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::in_order_per_call}, entries);
    EXPECT_EQ(icicle.nodes.size(), 1 + 1 + 3);
}

TEST(Icicle, BackwardIsTheTwinOfForward) {
    const SourceLine line{"m.py", 3};
    const std::vector<IcicleEntry> entries = {entry(0, {line}, "a", 1), entry(1, {line}, "view", 2),
                                              entry(2, {line}, "b", 3), entry(2, {line}, "b", 5, IcicleGroup::backward),
                                              entry(0, {line}, "a", 7, IcicleGroup::backward)};
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::in_order}, entries);
    ASSERT_EQ(describe(icicle),
              (std::vector<std::string>{"0 Forward [0, 6)", "0 Backward [6, 18)", "1 m.py:3 [0, 6)", "1 m.py:3 [6, 18)",
                                        "2 a [0, 1)", "2 view [1, 3)", "2 b [3, 6)", "2 b [6, 11)", "2 a [11, 18)"}));
    EXPECT_EQ(icicle.nodes[4].twin, 8);
    EXPECT_EQ(icicle.nodes[8].twin, 4);
    EXPECT_EQ(icicle.nodes[6].twin, 7);
    EXPECT_EQ(icicle.nodes[5].twin, stacks::IcicleNode::k_none);
    EXPECT_EQ(icicle.leaf_of(2), 6);
    EXPECT_EQ(icicle.leaf_of(9), std::nullopt);
}

TEST(Icicle, BySourceMergesSortsPrunesAndJoins) {
    const SourceLine model{"model.py", 9};
    const SourceLine block{"block.py", 5};
    const SourceLine left{"left.py", 1};
    const SourceLine right{"right.py", 2};
    const std::vector<IcicleEntry> entries = {
        entry(0, {model, block, left}, "mul", 1, IcicleGroup::activations),
        entry(1, {model, block, right}, "linear", 4, IcicleGroup::activations),
        entry(2, {model, block, left}, "add", 1, IcicleGroup::activations),
        entry(3, {model, block, left}, "mul", 1, IcicleGroup::activations),
        entry(4, {{"w.py", 7}}, "weight", 2, IcicleGroup::weights),
        entry(5, {{"w.py", 8}}, "bias", 3, IcicleGroup::weights),
        entry(6, {model, block}, "add", 3.5, IcicleGroup::activations),
    };
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::by_source}, entries);
    // model.py:9 contains only block.py:5, which contains all activations.
    EXPECT_EQ(describe(icicle),
              (std::vector<std::string>{"0 Activations [0, 10.5)", "0 Weights [10.5, 15.5)", "1 block.py:5 [0, 10.5)",
                                        "1 bias [10.5, 13.5)", "1 weight [13.5, 15.5)", "2 linear [0, 4)", "2 add [4, 7.5)",
                                        "2 mul, add [7.5, 10.5)"}));
    const stacks::IcicleNode& joined = icicle.nodes[7];
    EXPECT_EQ(joined.place, left);
    const auto below = icicle.entries_of(joined);
    EXPECT_EQ(std::vector<std::uint32_t>(below.begin(), below.end()), (std::vector<std::uint32_t>{0, 2, 3}));
    EXPECT_EQ(icicle.leaf_of(3), 7);
    EXPECT_EQ(icicle.entries_of(icicle.nodes[0]).size(), 5);
}

TEST(Icicle, PickFindsTheBarOfARow) {
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::in_order}, two_calls());
    EXPECT_EQ(icicle.pick(0, 0), 0);
    EXPECT_EQ(icicle.pick(14.4, 0), 0);
    EXPECT_EQ(icicle.pick(14.5, 0), std::nullopt);
    EXPECT_EQ(icicle.pick(-0.1, 0), std::nullopt);
    EXPECT_EQ(icicle.pick(7, 2), 5);
    EXPECT_EQ(icicle.pick(6.999, 2), 4);
    EXPECT_EQ(icicle.pick(14.2, 3), std::nullopt) << "the loss ends a row above";
    EXPECT_EQ(icicle.pick(14.2, 4), std::nullopt);
}

TEST(Icicle, OperationsWithoutWidthAreKeptAndHideNothing) {
    const SourceLine line{"m.py", 3};
    const std::vector<IcicleEntry> entries = {entry(0, {line}, "view", 0), entry(1, {line}, "mul", 2),
                                              entry(2, {line}, "size", 0)};
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::in_order}, entries);
    EXPECT_EQ(icicle.nodes.size(), 5);
    EXPECT_EQ(icicle.nodes[*icicle.pick(0, 2)].label, "mul");
    EXPECT_EQ(icicle.nodes[*icicle.pick(1.5, 2)].label, "mul");
}

TEST(Icicle, OfNothingIsEmpty) {
    for (const stacks::Icicle& icicle : {stacks::build_icicle({k_title, IcicleLayout::in_order_per_call}, {}),
                                         stacks::build_icicle({k_title, IcicleLayout::by_source}, {})}) {
        EXPECT_TRUE(icicle.nodes.empty());
        EXPECT_EQ(icicle.total, 0);
        EXPECT_EQ(icicle.pick(0, 0), std::nullopt);
    }
}

TEST(Icicle, PlacesAreShortenedWithBothKindsOfSlashes) {
    EXPECT_EQ(stacks::short_place({"a/b/c.py", 3}), "c.py:3");
    EXPECT_EQ(stacks::short_place({"..\\models\\c.py", 3}), "c.py:3");
    EXPECT_EQ(stacks::short_place({"(no source)", 0}), "(no source)");
}

}  // namespace
}  // namespace snapviewer
