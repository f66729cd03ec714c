// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Test data of Breakpad and rust-minidump, which belongs to them and is not part of this package.
///
/// It is looked for where `EPITAPH_FOREIGN_MINIDUMPS` says, beside the package, and beside the
/// directory that contains the package.
package enum ForeignMinidumps {
    /// Why tests that need the samples are skipped where they are absent.
    package static let absence: String =
        "skipped: the minidumps of Breakpad and rust-minidump are neither in "
        + "$EPITAPH_FOREIGN_MINIDUMPS nor beside the package"

    package static let names = [
        "linux-mini", "linux_divide_by_zero", "linux_jmp_to_0", "linux_null_dereference",
        "linux_overflow", "linux_raise_sigabrt", "simple-crashpad", "thread_name_list",
    ]

    package static var arePresent: Bool { directory != nil }

    private static let directory: String? = {
        let environment = ProcessInfo.processInfo.environment["EPITAPH_FOREIGN_MINIDUMPS"]
        let beside = ["/..", "/../.."].map {
            Products.packageRoot + $0 + "/shared/fixtures/foreign-minidumps"
        }
        return (environment.map { [$0] } ?? beside).first { directory in
            names.allSatisfy {
                FileManager.default.isReadableFile(atPath: "\(directory)/\($0).dmp")
            }
        }
    }()

    /// The path of a sample; one that cannot be opened where `arePresent` is false.
    package static func path(_ name: String) -> String {
        "\(directory ?? "/nonexistent")/\(name).dmp"
    }

    package static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}
