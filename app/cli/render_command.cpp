#include "app/cli/render_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "app/picture.h"

namespace snapviewer {
namespace {

struct RenderArguments {
    std::string file;
    std::string out;
    std::string size = "1600x900";
    std::string view;
    std::string axis = "steps";
    std::optional<int> device;
};

RenderOptions render_options(const RenderArguments& arguments, std::size_t device_index) {
    RenderOptions options;
    options.out = arguments.out;
    options.axis = arguments.axis == "time" ? Axis::time : Axis::steps;
    options.device_index = device_index;
    if (const auto size = parse_size(arguments.size)) {
        options.width_px = size->width_px;
        options.height_px = size->height_px;
    }
    if (const auto range = parse_view(arguments.view)) {
        options.view = range->view;
        options.view_has_y = range->has_y;
    }
    return options;
}

int run_render(const RenderArguments& arguments) {
    Session session(arguments.file);
    const Document* document = session.open({});
    if (document == nullptr) return session.status();
    const auto device = session.require_device(arguments.device);
    if (!device) return session.status();
    if (arguments.axis == "time" && !document->devices[*device].timeline->has_times()) {
        return session.report({ErrorCode::bad_file, "has no recorded times; only --axis steps is possible"});
    }
    const Status drawn = render_picture(*document, render_options(arguments, *device));
    if (!drawn) return session.report(drawn.error(), drawn.error().code == ErrorCode::io ? arguments.out : "");
    session.report_findings();
    return k_done;
}

}  // namespace

void add_render_command(CLI::App& app, int& status) {
    const auto arguments = std::make_shared<RenderArguments>();
    CLI::App* command = app.add_subcommand("render", "Draw a file into a picture; needs no display");
    command->add_option("FILE", arguments->file, "The snapshot")->required();
    command->add_option("--out", arguments->out, "The PNG to write")->required()->type_name("PNG");
    command->add_option("--size", arguments->size, "In pixels, 1600x900 unless given")
        ->check(is_size)
        ->type_name("WIDTHxHEIGHT");
    command->add_option("--device", arguments->device, "Number as in the file; the one with most events unless given")
        ->type_name("N");
    command->add_option("--axis", arguments->axis, "What runs from left to right, steps unless given")
        ->check(CLI::IsMember({"steps", "time"}));
    command->add_option("--view", arguments->view, "The part to draw: steps (or microseconds) and bytes")
        ->check(is_view)
        ->type_name("X0:X1[,Y0:Y1]");
    command->callback([arguments, &status] { status = run_render(*arguments); });
}

}  // namespace snapviewer
