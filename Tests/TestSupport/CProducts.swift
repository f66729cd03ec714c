// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The C side of Epitaph, for tests that compile or link it in ways of their own.
extension Products {
    private static let cTargets = ["CDumpFormat", "CCrashCapture", "CEpitaph"]

    /// Every C source of Epitaph's own targets, below `Sources`.
    private static let cSourceNames: [String] = cTargets.flatMap { target in
        let folder = packageRoot + "/Sources/" + target
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(".c") }.sorted().map { target + "/" + $0 }
    }

    /// The paths of all C sources of Epitaph.
    public static let cSources = cSourceNames.map { packageRoot + "/Sources/" + $0 }

    /// What this build has compiled them to.
    public static let cObjects = cSourceNames.map { name in
        let target = name.prefix { $0 != "/" }
        return directory + "/\(target).build" + name.dropFirst(target.count) + ".o"
    }

    /// Options that let a compiler find the headers that these sources include.
    public static let cHeaderOptions = cTargets.flatMap { target in
        let folder = packageRoot + "/Sources/" + target
        return ["-I" + folder, "-I" + folder + "/include"]
    }
}
