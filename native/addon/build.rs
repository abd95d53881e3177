//! Sets the linker flags a Node-API library needs.

fn main() {
    napi_build::setup();
}
