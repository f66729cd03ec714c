// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore
import EpitaphSystem
import EpitaphValues

/// From where the missing symbols of a module could come.
struct MissingSymbolSources {
    /// Without a full stop; none if the module lacks nothing.
    let sentences: [String]

    /// - Parameters:
    ///   - package: the installed package that has a file at the module's path.
    ///   - environment: returns the value of an environment variable.
    init(
        _ module: ModuleSymbols, _ package: DebianPackages.Package?,
        environment: (String) -> String? = CurrentProcess.environmentVariable
    ) {
        guard !module.missing.isEmpty else {
            sentences = []
            return
        }
        guard !module.module.buildID.isEmpty else {
            sentences = [
                "none: the module has no build id, so no file can be found for it; link it with "
                    + "-Wl,--build-id"
            ]
            return
        }
        var sentences: [String] = []
        if let package { sentences.append(Self.sentence(of: package, for: module)) }
        sentences.append(
            environment("DEBUGINFOD_URLS").map { urls in
                "the debuginfod servers of DEBUGINFOD_URLS may have build "
                    + "\(module.module.buildID.hexDigits): \(urls)"
            } ?? "a debuginfod server, if DEBUGINFOD_URLS names one")
        sentences.append(
            "the machine that ran it: \(ProgramDescription.name) symbols collect "
                + "\(module.module.installedPath) -o DIR there, and --symbols DIR here")
        self.sentences = sentences
    }

    private static func sentence(
        of package: DebianPackages.Package, for module: ModuleSymbols
    ) -> String {
        let version = package.version.map { " " + $0 } ?? ""
        // The file at the path belongs to another build if it is not the one that was loaded.
        guard module.executable == module.module.installedPath else {
            return "the package \(package.name), and \(package.debugPackage), in the version that "
                + "was installed where it crashed; here it is\(version)"
        }
        return "the package \(package.debugPackage)\(version), from Debian's archive"
    }
}
