#!/usr/bin/env -S octave-cli --quiet --no-init-file
% Projected Gauss-Seidel, row by row, friction in discs. It speaks the protocol byte by byte, with nothing but fread and fwrite.
1;

function greet(description)
  fwrite(stdout, 'ccpbench');
  fwrite(stdout, [16909060, 1, numel(description), 0], 'int32');  % 16909060 is 0x01020304: the byte order
  fwrite(stdout, description);
  fflush(stdout);
end

function matrix = read_matrix(rows, columns, entries)
  row_start = fread(stdin, rows + 1, 'int32');
  column = fread(stdin, entries, 'int32');
  value = fread(stdin, entries, 'double');
  matrix = sparse(repelem((1:rows)', diff(row_start)), column + 1, value, rows, columns);
end

function show(kind, iterations, seconds, numbers)
  fwrite(stdout, [kind, 8 * numel(numbers)], 'int32');
  fwrite(stdout, [iterations, 0], 'int64');
  fwrite(stdout, [seconds, NaN], 'double');  % the second one would be an error of its own
  fwrite(stdout, numbers, 'double');
  fflush(stdout);
  if isempty(fread(stdin, 1, 'uint8'))  % ccpbench has seen enough
    exit(0);
  end
end

greet(['{"name": "mine", "title": "Projected Gauss-Seidel", "models": ["ncp"], "constraints": ["contact"], ' ...
       '"settings": [{"name": "omega", "default": 1.0, "above": 0, "below": 2, "meaning": "relaxation"}]}']);
if isempty(fread(stdin, 16, 'uint8'))  % ccpbench only asked what this is
  exit(0);
end
sizes = fread(stdin, 11, 'int64');
contacts = sizes(1);
rows = sizes(2);
kinds = fread(stdin, 2 * contacts, 'int32');
mu = fread(stdin, contacts, 'double');
N = read_matrix(rows, rows, sizes(4));
r = fread(stdin, rows, 'double');
gamma = fread(stdin, rows, 'double');
omega = fread(stdin, sizes(8), 'double');
show(1, 0, 0, []);
spent = 0;
iterations = 0;
while true
  show(2, iterations, spent, gamma);
  began = tic;
  for i = 1:contacts
    n = 3 * i - 2;
    t = [n + 1, n + 2];
    gamma(n) = max(gamma(n) - omega / N(n, n) * (N(n, :) * gamma + r(n)), 0);
    gamma(t) = gamma(t) - omega / trace(N(t, t)) * (N(t, :) * gamma + r(t));
    slip = norm(gamma(t));
    if slip > mu(i) * gamma(n)
      gamma(t) = gamma(t) * (mu(i) * gamma(n) / slip);
    end
  end
  iterations = iterations + 1;
  spent = spent + toc(began);
end
