// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The capture victim as a program that links EpitaphCapture and nothing else of this package: in
/// EpitaphVictim it is beside code that links the whole client.
struct CaptureProgram {
    let path: String
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("capture")
        let maps = ["CEpitaph", "CEpitaphHandler", "CEpitaphFormat"]
            .map { "\(Products.directory)/\($0).build/module.modulemap" }
            .filter { FileManager.default.fileExists(atPath: $0) }
        let compiler = try Subprocess.run(
            ["swiftc", "-swift-version", "6", "-module-name", "CaptureProgram", "-o", path]
                + ["-I", Products.directory + "/Modules"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] } + Products.cHeaderOptions
                + Victim.capture.standaloneSources(in: directory)
                + Products.objects(of: "EpitaphCapture") + Products.objects(of: "EpitaphNames")
                + Products.cObjects,
            deadlineSeconds: 300)
        try #require(compiler.ending == .exited(0), "\(compiler.standardError)")
    }
}
