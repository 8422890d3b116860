# As in nixpkgs: pkgs/by-name/st/statepath/package.nix. `./dev package` fills in the version, the URL and the checksum of the source archive.
{
  lib,
  stdenv,
  fetchurl,
  cmake,
  expat,
  gsl,
  hdf5,
  jansson,
  libdeflate,
  ninja,
  pkg-config,
  popt,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "statepath";
  version = "@VERSION@";

  src = fetchurl {
    url = "@URL@";
    sha256 = "@SHA256@";
  };

  nativeBuildInputs = [
    cmake
    ninja
    pkg-config
  ];

  # Static libraries are installed too: what is linked with them needs these.
  propagatedBuildInputs = [
    expat
    gsl
    hdf5
    jansson
    libdeflate
  ];

  buildInputs = [ popt ];

  # pkg-config's files name places relative to their own.
  cmakeFlags = [
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DSTATEPATH_HDF5_ARCHIVE=OFF"
    "-DSTATEPATH_TESTS=OFF"
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    runHook preInstallCheck
    test "$($out/bin/statepath --version)" = "statepath ${finalAttrs.version}"
    $out/bin/statepath model check sleep-aasm
    runHook postInstallCheck
  '';

  meta = {
    description = "Decode the scores of any classifier into sequences that obey the rules";
    license = with lib.licenses; [
      mit
      gpl3Plus # the program, because it is linked with GSL
    ];
    mainProgram = "statepath";
    platforms = lib.platforms.linux;
  };
})
