// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore
import EpitaphSystem
import EpitaphValues

struct MissingSymbolSources {
    let sentences: [String]

    /// - Parameter package: the installed package with a file at the module's path.
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
        // If the file at the path is not the loaded one, it is of another build.
        guard module.executable == module.module.installedPath else {
            return "the package \(package.name), and \(package.debugPackage), in the version that "
                + "was installed where it crashed; here it is\(version)"
        }
        return "the package \(package.debugPackage)\(version), from Debian's archive"
    }
}
