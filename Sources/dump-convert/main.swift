// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

CurrentProcess.occupyStandardDescriptors()
CurrentProcess.ignoreBrokenPipes()
CurrentProcess.exit(Program.run(CommandLine.arguments).rawValue)
