// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

private let isCheckout =
    FileManager.default.fileExists(atPath: Products.packageRoot + "/.git")

/// That other packages can depend on this one: Scripts/depend asks SwiftPM, which puts the graph of
/// packages together and compiles none of them.
@Suite(.serialized, .enabled(if: isCheckout, "needs a checkout of Git to make a version of"))
struct DependingTests {
    private func depend(_ arguments: [String]) throws -> Subprocess {
        try Subprocess.run(
            [Products.packageRoot + "/Scripts/depend", "--graph"] + arguments, deadlineSeconds: 300)
    }

    @Test(
        "Every product can be depended on beside the packages that servers use",
        arguments: ["path", "version"])
    func products(way: String) throws {
        let result = try depend(["--by", way])
        #expect(result.ending == .exited(0), "\(result.standardError)")
    }

    /// A package with one product and everything that must not be.
    private static let manifest = """
        // swift-tools-version: 6.0
        import PackageDescription

        let package = Package(
            name: "Epitaph",
            products: [.library(name: "Epitaph", targets: ["Epitaph"])],
            targets: [
                .target(name: "Metrics"),
                .target(
                    name: "Epitaph", dependencies: ["Metrics"],
                    swiftSettings: [.unsafeFlags(["-I", "/opt/epitaph"])]),
                .target(name: "Apart"),
            ])
        """

    @Test("A module that another package has, unsafe flags and absolute paths are each refused")
    func refused() throws {
        let package = try TemporaryDirectory()
        for (path, text) in [
            ("Package.swift", Self.manifest),
            ("Sources/Epitaph/Epitaph.swift", "import Metrics"),
            ("Sources/Metrics/metrics.c", "#include \"metrics.h\""),
            ("Sources/Metrics/include/metrics.h", "#include </opt/epitaph/metrics.h>"),
            // No product has it.
            ("Sources/Apart/apart.c", "#include \"apart.h\""),
            ("Sources/Apart/include/apart.h", "#include </opt/epitaph/apart.h>"),
        ] {
            let folder = URL(fileURLWithPath: package.path(path)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try package.write(Array(text.utf8), to: path)
        }
        let made = try Subprocess.run(["git", "init", "--quiet", package.path])
        try #require(made.ending == .exited(0), "\(made.standardError)")

        let result = try depend(["--package", package.path])
        #expect(result.ending == .exited(1))
        let complaints = result.standardError.split(separator: "\n")
        for words in [
            ["by path", "conflicting name: 'Metrics"],
            ["by version", "conflicting name: 'Metrics"],
            ["Epitaph has unsafeFlags"],
            ["Package.swift: an absolute path", "/opt/epitaph"],
            ["metrics.h:1: an absolute path", "</opt/epitaph/metrics.h>"],
        ] {
            let named = complaints.contains { line in words.allSatisfy { line.contains($0) } }
            #expect(named, "\(words): \(result.standardError)")
        }
        #expect(!result.standardError.contains("apart.h"))
    }
}
