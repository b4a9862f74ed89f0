#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "app/features/answers/device_answers.h"
#include "app/features/session.h"
#include "app/features/timeline/stack_names.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "core/document/document.h"
#include "core/mesh/colours.h"
#include "core/timeline/emphasis.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// The command that shows this view of the device.
CommandId command_of(ViewKind kind);

/// The pictures of the open file: their devices, the visible part, their colours, and their upload to the GPU. Main thread,
/// with the OpenGL context current.
class Pictures : public Feature {
public:
    /// Keeps a reference, which must outlive this object. `canvas` is null for a tab that is parked, until take_place_of();
    /// before that, nothing may be drawn or uploaded.
    Pictures(Session& session, std::unique_ptr<render::TimelineCanvas> canvas);

    /// Called after the document has changed: creates the pictures of its devices and shows the default device. Clears
    /// everything if the document is null.
    void adopt() override;
    /// Shows the device with this index in the document, with the picture that it showed last.
    void show_device(std::size_t device_index);
    /// Shows a picture of the current device; starts to build it if necessary.
    void show_view(ViewKind kind);
    void show_next_view();
    /// Shows an existing picture of a device, instead of the current one.
    void show(std::size_t device_index, ViewKind kind);
    void colour_by(mesh::ColourBy by);
    /// Called when other analyses of the current device are ready, which include the kinds of allocations. Null if there are
    /// none.
    void use_answers(std::shared_ptr<const answers::DeviceAnswers> answers);
    /// Returns the colours of the allocations in the current picture, regardless of the highlight. Valid until
    /// colours_version() changes.
    mesh::AllocationColours colours() const;
    /// A counter that changes whenever colours() returns other values.
    std::uint64_t colours_version() const { return colours_version_; }

    /// Called every frame: takes a finished picture and continues the upload.
    void update() override;
    /// Starts to upload pending changes to the GPU. Several changes since the last call are uploaded once.
    void end_frame() override { send(); }
    /// Cancels the picture that is being built, without waiting.
    void cancel() override { building_.discard(); }

    bool is_busy() const override;
    /// True while a picture is being built or uploaded to the GPU. The triangle mesh does not count.
    bool is_sending() const;
    /// True until the mesh of the picture on the screen is built and uploaded, if the picture gets one.
    bool is_mesh_due() const;
    const BackgroundTask<DeviceView>& building() const { return building_; }
    ViewKind building_kind() const { return building_kind_; }
    /// The reason why the picture could not be uploaded, once.
    std::optional<Error> take_error() { return std::exchange(error_, std::nullopt); }
    /// Moves the canvas here from the pictures of another file, whose data is replaced on the GPU. Until `other` gets it
    /// back, it must not draw or upload.
    void take_place_of(Feature& other) override;
    render::TimelineCanvas& canvas() const { return *canvas_; }
    void connect(Switchboard& board) override;

private:
    void connect_kinds(Commands& commands);
    void connect_colours(Switchboard& board);
    DevicePicture first_picture(DeviceView made) const;
    void keep_moments(const DevicePicture& left, DevicePicture& shown) const;
    void put_on_screen(std::size_t device_index, ViewKind kind);
    void prepare();
    mesh::ColourBy colouring() const;
    mesh::ColourGroups groups_of(const Timeline& timeline) const;
    void regroup();
    void recolour();
    void take_built();
    void send_highlight();
    bool is_highlight_sent() const;
    void continue_sending();
    void build_mesh_if_due();
    void take_mesh();
    void send();

    Session& session_;
    std::unique_ptr<render::TimelineCanvas> canvas_;
    std::shared_ptr<const answers::DeviceAnswers> answers_;
    std::size_t building_device_ = 0;
    ViewKind building_kind_ = ViewKind::allocations;
    BackgroundTask<DeviceView> building_;
    /// Builds the triangle mesh of the picture on the screen; null if it has too many records for a mesh.
    BackgroundTask<std::shared_ptr<const mesh::TriangleMesh>> building_mesh_;
    int frames_until_mesh_ = 0;  ///< frames to draw before the mesh is built; 0 if none is planned
    bool is_sent_ = true;
    bool are_colours_sent_ = true;
    std::uint64_t colours_version_ = 0;
    std::optional<Error> error_;
    std::shared_ptr<const Emphasis> sent_highlight_;  ///< the highlight that was uploaded last
    /// theme of the last upload; determines the grey of allocations without highlight
    mesh::ThemeVariant sent_theme_ = mesh::ThemeVariant::dark;
};

/// Keeps the names inside blocks up to date. A worker thread computes new names after the view has changed; meanwhile the
/// old names move with their blocks. While a software rasterizer is drawing coarsely, no names are computed, because it
/// needs all cores. Main thread.
class BlockNames : public Feature {
public:
    /// Keeps references; both must outlive this object.
    BlockNames(Session& session, Pictures& pictures) : session_(session), pictures_(pictures) {}

    /// Called every frame.
    void update() override;
    bool is_busy() const override { return task_.is_busy(); }
    void connect(Switchboard& board) override;

private:
    Session& session_;
    Pictures& pictures_;
    BackgroundTask<NamedBlocks, NamingScene> task_;
};

}  // namespace snapviewer
