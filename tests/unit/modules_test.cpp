// Tests of memory by module. The expected values were computed by hand.
#include "core/timeline/modules.h"

#include <gtest/gtest.h>

#include "core/mesh/colours.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

std::string role_and_path(std::string_view text, bool has_single_names = false) {
    const auto read = read_module_text(text, has_single_names);
    if (!read) return "nothing";
    std::string said = module_role_name(read->role);
    if (!read->has_module) return said;
    said += " of";
    for (const std::string_view name : read->names) said += "/" + std::string(name);
    return said;
}

TEST(ModuleText, ARoleAndTheTensorBehindAModule) {
    EXPECT_EQ(role_and_path("parameter: layers.31.mlp.weight"), "parameter of/layers/31/mlp");
    EXPECT_EQ(role_and_path("gradient: layers.31.mlp.weight"), "gradient of/layers/31/mlp");
    EXPECT_EQ(role_and_path("buffer: rope.inv_freq"), "buffer of/rope");
    EXPECT_EQ(role_and_path("optimizer: layers.31.mlp.weight.exp_avg"), "optimizer of/layers/31/mlp");
    EXPECT_EQ(role_and_path("parameter: weight"), "parameter of") << "the model itself";
    EXPECT_EQ(role_and_path("parameter: 0.weight"), "parameter of/0") << "nn.Sequential has numbers alone";
    EXPECT_EQ(role_and_path("optimizer: group 1, parameter 2.exp_avg"), "optimizer");
    EXPECT_EQ(role_and_path("optimizer: exp_avg"), "nothing");
    EXPECT_EQ(role_and_path("parameter: of a guess"), "nothing");
    EXPECT_EQ(role_and_path("parameter: a..weight"), "nothing");
}

TEST(ModuleText, TheNamesOfWrappersAreLeftOut) {
    EXPECT_EQ(
        role_and_path("parameter: _orig_mod.module.layers.0._fsdp_wrapped_module.mlp._checkpoint_wrapped_module.weight"),
        "parameter of/layers/0/mlp");
    EXPECT_EQ(role_and_path("parameter: module.module.a.weight"), "parameter of/a");
    EXPECT_EQ(role_and_path("parameter: a.module.weight"), "parameter of/a/module") << "only at the beginning";
    EXPECT_EQ(role_and_path("parameter: a.module"), "parameter of/a") << "the tensor's own name";
}

TEST(ModuleText, TheModuleThatAllocates) {
    EXPECT_EQ(role_and_path("layers.31.mlp"), "other of/layers/31/mlp");
    EXPECT_EQ(role_and_path("optimizer"), "optimizer of/optimizer");
    EXPECT_EQ(role_and_path("lm_head"), "nothing") << "any word, unless the program stamps modules";
    EXPECT_EQ(role_and_path("lm_head", true), "other of/lm_head");
    EXPECT_EQ(role_and_path("3.5", true), "nothing");
    EXPECT_EQ(role_and_path("packed by autograd", true), "nothing");
    EXPECT_EQ(role_and_path("", true), "nothing");
    EXPECT_FALSE(is_dotted_module_path("lm_head"));
    EXPECT_TRUE(is_dotted_module_path("model.norm"));
}

/// A trace of allocations, each with a text as its metadata.
class NamedTrace {
public:
    NamedTrace& alloc(std::uint64_t size_bytes, std::string_view text) {
        trace_.alloc(next_ += 0x10000, size_bytes).with_metadata(of_user(text));
        return *this;
    }
    /// Adds a note to the last allocation.
    NamedTrace& note(std::string_view text) {
        trace_.event(Action::annotate, next_, 0).with_metadata(of_user(text));
        DeviceTrace& device = trace_.raw().devices[0];
        device.notes.push_back({AllocationId{made() - 1}, EventId{static_cast<std::uint32_t>(device.events.size() - 1)}});
        return *this;
    }
    Timeline lay_out() { return test::lay_out(trace_.build()); }

private:
    EventMetadata of_user(std::string_view text) {
        EventMetadata metadata;
        metadata.user_metadata = trace_.text(text);
        return metadata;
    }
    std::uint32_t made() {
        return static_cast<std::uint32_t>(std::ranges::count(trace_.raw().devices[0].events.action, Action::alloc));
    }

    TraceBuilder trace_;
    std::uint64_t next_ = 0;
};

std::vector<std::string> told(const Timeline& timeline) {
    const Modules modules = find_modules(timeline.snapshot(), timeline.trace());
    std::vector<std::string> all;
    for (const ModuleOfAllocation& of : modules.of)
        all.push_back(std::string(module_role_name(of.role)) + " " +
                      (of.module == k_no_module ? "-" : "'" + modules.path(of.module) + "'"));
    return all;
}

TEST(Modules, AnnotationsCountBeforeMetadata) {
    const Timeline timeline = NamedTrace()
                                  .alloc(1000, "layers.0.mlp")
                                  .alloc(200, "layers.0.mlp")
                                  .note("kept for backward")
                                  .note("gradient: layers.1.mlp.weight")
                                  .alloc(30, "")
                                  .lay_out();
    EXPECT_EQ(told(timeline), (std::vector<std::string>{"other 'layers.0.mlp'", "gradient 'layers.1.mlp'", "other -"}));
}

TEST(Modules, WhatSeveralNameIsInTheModuleAroundThem) {
    const Timeline timeline = NamedTrace()
                                  .alloc(1000, "")
                                  .note("gradient: layers.0.attn.q.weight")
                                  .note("gradient: layers.0.attn.k.weight")
                                  .alloc(200, "")
                                  .note("parameter: layers.0.attn.q.weight")
                                  .note("gradient: layers.1.mlp.weight")
                                  .alloc(30, "")
                                  .note("optimizer: group 0, parameter 3.step")
                                  .note("optimizer: a.weight.step")
                                  .lay_out();
    EXPECT_EQ(told(timeline), (std::vector<std::string>{"gradient 'layers.0.attn'", "other 'layers'", "optimizer 'a'"}));
}

TEST(Modules, TheTreeAddsUp) {
    const Timeline timeline = NamedTrace()
                                  .alloc(1000, "layers.10.mlp")
                                  .alloc(200, "layers.2")
                                  .note("parameter: layers.2.weight")
                                  .alloc(30, "lm_head")
                                  .alloc(4, "")
                                  .lay_out();
    const Modules modules = find_modules(timeline.snapshot(), timeline.trace());
    std::string paths;
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) paths += "[" + modules.path(i) + "]";
    EXPECT_EQ(paths, "[][layers][layers.2][layers.10][layers.10.mlp][lm_head]");
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    std::vector<std::uint64_t> all, own;
    for (std::size_t i = 0; i < modules.nodes.size(); ++i) {
        all.push_back(totals.all[i].total());
        own.push_back(totals.own[i].total());
    }
    EXPECT_EQ(all, (std::vector<std::uint64_t>{1230, 1200, 200, 1000, 1000, 30}));
    EXPECT_EQ(own, (std::vector<std::uint64_t>{0, 0, 200, 0, 1000, 30}));
    EXPECT_EQ(totals.without.total(), 4);
    EXPECT_EQ(totals.all[0].by_role[static_cast<std::size_t>(ModuleRole::parameter)], 200);
    EXPECT_EQ(totals.all[0].count, 3);
    EXPECT_EQ(modules.nodes[1].end, 5);
}

std::uint32_t depth_of_colours(const Timeline& timeline) {
    const Modules modules = find_modules(timeline.snapshot(), timeline.trace());
    return informative_depth(modules, module_totals(timeline, modules, timeline.peak_tick()));
}

TEST(Modules, ColoursGoAsDeepAsNoModuleHasMoreThanAQuarter) {
    NamedTrace even;
    for (const char* layer : {"m.layers.0.a", "m.layers.1.a", "m.layers.2.b", "m.layers.3.b", "m.head"})
        even.alloc(100, layer);
    EXPECT_EQ(depth_of_colours(even.lay_out()), 3) << "20 % each; m has all, m.layers 80 %";
    NamedTrace leaking;
    for (const char* layer : {"layers.0", "layers.1", "layers.2.mlp", "layers.2.mlp", "layers.2.mlp", "layers.2.attn"})
        leaking.alloc(100, layer);
    EXPECT_EQ(depth_of_colours(leaking.lay_out()), 3) << "layers.2 has 4 of 6, its mlp 3";
    EXPECT_EQ(depth_of_colours(NamedTrace().alloc(100, "a.b.c").lay_out()), 1) << "deeper says no more";
}

TEST(Modules, ColoursOfEveryModuleAndOfNone) {
    const Timeline timeline =
        NamedTrace().alloc(100, "layers.0").alloc(500, "layers.1").alloc(3, "").alloc(200, "layers.1").lay_out();
    const mesh::ColourGroups groups = mesh::colour_groups(timeline, mesh::ColourBy::module);
    ASSERT_EQ(groups.groups.size(), 3);
    EXPECT_EQ(groups.groups[0].name, "layers.1");
    EXPECT_EQ(groups.groups[0].bytes, 700);
    EXPECT_EQ(groups.groups[1].name, "layers.0");
    EXPECT_EQ(groups.groups[2].name, "no module");
    EXPECT_EQ(groups.group_of, (std::vector<std::uint32_t>{1, 0, 2, 0}));
    EXPECT_EQ(mesh::why_no_colours(timeline, mesh::ColourBy::module), "");
    EXPECT_NE(mesh::why_no_colours(NamedTrace().alloc(1, "my text").lay_out(), mesh::ColourBy::module), "");
}

TEST(Modules, OfManyModulesTheLargestHaveColours) {
    NamedTrace trace;
    for (std::size_t i = 0; i < 200; ++i) trace.alloc(1000 + i, "m" + std::to_string(i) + ".x");
    const mesh::ColourGroups groups = mesh::colour_groups(trace.lay_out(), mesh::ColourBy::module);
    ASSERT_EQ(groups.groups.size(), 129);
    EXPECT_EQ(groups.groups[0].name, "m199");
    EXPECT_EQ(groups.groups[128].name, "other modules");
    EXPECT_EQ(groups.groups[128].count, 72);
}

}  // namespace
}  // namespace snapviewer::test
