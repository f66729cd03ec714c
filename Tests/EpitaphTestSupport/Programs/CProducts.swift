// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The C side of Epitaph, for tests that compile or link it in ways of their own.
extension Products {
    private static let cTargets = ["CEpitaphFormat", "CEpitaphHandler", "CEpitaph"]

    /// Every C source of Epitaph's own targets, below `Sources/Capture`.
    private static let cSourceNames: [String] = cTargets.flatMap { target in
        let folder = packageRoot + "/Sources/Capture/" + target
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(".c") }.sorted().map { target + "/" + $0 }
    }

    /// What this build has compiled all C sources of Epitaph to.
    package static let cObjects = cSourceNames.map { name in
        let target = name.prefix { $0 != "/" }
        return directory + "/\(target).build" + name.dropFirst(target.count) + ".o"
    }

    /// What this build has compiled a Swift target to.
    package static func objects(of target: String) throws -> [String] {
        let folder = directory + "/\(target).build"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".o") }.sorted().map { folder + "/" + $0 }
    }

    /// Options that let a compiler find the headers that these sources include.
    package static let cHeaderOptions = cTargets.flatMap { target in
        let folder = packageRoot + "/Sources/Capture/" + target
        return ["-I" + folder, "-I" + folder + "/include"]
    }
}
